import { z } from 'zod';
import { doneOrThrow } from '#api/http/job-answer';
import { problemOf } from '#api/problems/from-error';
import { problemBody } from '#api/problems/problem';
import { jobNotFound } from '#api/problems/rejections';
import { type BulkItem, readBulkItems } from '#api/routes/bulk-items';
import { historyCursor, readHistoryCursor } from '#api/routes/history-cursor';
import { keyReused } from '#api/routes/submit';
import { eventView } from '#api/schemas/event';
import type { BulkResult, JobEvent } from '#client/types';
import type { Call, Commands, SubmitOutcome } from '#commands/contract';
import type { JobCommand } from '#domain/job/commands';
import { reasonRequest, replayRequest, rescheduleCommand, rescheduleRequest } from '#domain/job/requests';
import { checkPayloadSize } from '#domain/job/submit';
import { type JobView, jobView, listedJob } from '#domain/job/view';
import { parseRequest } from '#domain/json/problems';
import type { Clock } from '#runtime/clock';
import type { Backend } from './backend.ts';

const CALL: Call = { actor: 'system:library' };
const MOST_EVENTS = 1000;
/** Problems of items in process belong to no HTTP request. */
const NO_REQUEST = { url: '', id: '' };

type WritingCalls = Pick<
  Backend,
  'submit' | 'submitMany' | 'events' | 'cancel' | 'acknowledge' | 'replay' | 'reschedule'
>;

/** The calls on jobs, straight to the commands of this process, judged by the API's own rules. */
export function localJobs(commands: Commands, clock: Clock): WritingCalls {
  const run = async (jobId: string, command: JobCommand): Promise<JobView> => {
    const [outcome] = await commands.execute([{ jobId, command }], CALL);
    return jobView(doneOrThrow(outcome).job);
  };

  return {
    async submit({ request, idempotencyKey }) {
      const [item] = readBulkItems([withKey(request, idempotencyKey)], null) as [BulkItem];
      if ('error' in item) throw item.error;
      const [{ kind, job }] = (await commands.submit([item.submit], CALL)) as [SubmitOutcome];
      if (kind === 'conflict') throw keyReused(job.id, { header: 'Idempotency-Key' });
      return jobView(job);
    },
    async submitMany(submits) {
      const items = readBulkItems(
        submits.map(({ request, idempotencyKey }) => withKey(request, idempotencyKey)),
        null,
      );
      const good = items.flatMap((item) => ('submit' in item ? [item.submit] : []));
      const outcomes = (await commands.submit(good, CALL)).values();
      return items.map((item, index) => bulkResult(item, index, outcomes));
    },
    async events(id, { limit = MOST_EVENTS, cursor }) {
      const most = parseRequest(z.number().int().min(1).max(MOST_EVENTS), limit, '/limit');
      const from = cursor === undefined ? 0 : readHistoryCursor(id, cursor);
      const found = await commands.history(id, { from, limit: most + 1 });
      if (!found) throw jobNotFound();
      const events = found.slice(0, most);
      const more = found.length > most ? events.at(-1) : undefined;
      return {
        data: events.map((event) => eventView(id, event)) as JobEvent[],
        nextCursor: more ? historyCursor(id, more.version + 1) : null,
      };
    },
    async cancel(id, reason) {
      return run(id, { kind: 'cancel', reason: parseRequest(reasonRequest, { reason }).reason ?? null });
    },
    async acknowledge(id, reason) {
      return run(id, { kind: 'acknowledge', reason: parseRequest(reasonRequest, { reason }).reason ?? null });
    },
    async replay(id, { reason, maxAttempts, payload }) {
      const body = parseRequest(replayRequest, {
        reason,
        ...(maxAttempts !== null && { max_attempts: maxAttempts }),
        ...(payload !== null && { payload }),
      });
      checkPayloadSize(body.payload);
      const changes = { reason: body.reason ?? null, maxAttempts: body.max_attempts ?? null };
      if (body.payload === undefined) return run(id, { kind: 'replay', ...changes });
      return jobView(doneOrThrow(await commands.replayAsNew(id, { payload: body.payload, ...changes }, CALL)).job);
    },
    async reschedule(id, changes) {
      return run(id, rescheduleCommand(parseRequest(rescheduleRequest, changes), clock.now()));
    },
  };
}

function withKey(request: object, idempotencyKey: string | null): object {
  return idempotencyKey === null ? request : { ...request, idempotency_key: idempotencyKey };
}

function bulkResult(item: BulkItem, index: number, outcomes: Iterator<SubmitOutcome>): BulkResult {
  if ('error' in item) {
    return { index, outcome: 'invalid', job: null, problem: problemBody(problemOf(item.error), NO_REQUEST) };
  }
  const { kind, job } = outcomes.next().value as SubmitOutcome;
  if (kind !== 'conflict') return { index, outcome: kind, job: listedJob(jobView(job)), problem: null };
  const problem = keyReused(job.id, { pointer: `/jobs/${index}/idempotency_key` });
  return { index, outcome: kind, job: null, problem: problemBody(problem, NO_REQUEST) };
}
