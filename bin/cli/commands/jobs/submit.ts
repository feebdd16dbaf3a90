import type { Command } from 'commander';
import type { SubmitJob } from '#client/types';
import { collect, seconds, wholeNumber } from '../../arguments.ts';
import { readJsonObject } from '../../json-argument.ts';
import { openSession, type Session } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { idOf, JOB_FIELDS } from './columns.ts';

interface SubmitOptions {
  readonly type?: string;
  readonly queue?: string;
  readonly payload?: string;
  readonly delay?: number;
  readonly at?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly lease?: number;
  readonly timeout?: number;
  readonly tag?: readonly string[];
  readonly idempotencyKey?: string;
}

export function addSubmit(jobs: Command, terminal: Terminal): void {
  jobs
    .command('submit')
    .description('submit a job')
    .option('--type <type>', 'what is to be done (default: the name of the queue)')
    .option('--queue <queue>', 'where it waits (default: default)')
    .option('--payload <json>', 'its input: a JSON object, @file, or - for standard input')
    .option('--delay <seconds>', 'start it so much later', seconds)
    .option('--at <instant>', 'start it at this instant (RFC 3339)')
    .option('--priority <number>', '-100 to 100, higher first (default: 0)', wholeNumber)
    .option('--max-attempts <number>', 'how often it is tried (default: 5)', wholeNumber)
    .option('--lease <seconds>', 'how long a silent worker keeps it (default: 30)', wholeNumber)
    .option('--timeout <seconds>', 'how long an attempt may take (default: no limit)', wholeNumber)
    .option('--tag <tag>', 'may be given several times', collect)
    .option('--idempotency-key <key>', 'submits with one key make one job')
    .action(async (options: SubmitOptions, command) => await submit(openSession(command, terminal), options));
}

async function submit({ client, printer, terminal }: Session, options: SubmitOptions): Promise<void> {
  const request: SubmitJob = {
    ...(options.type !== undefined && { type: options.type }),
    ...(options.queue !== undefined && { queue: options.queue }),
    ...(options.payload !== undefined && { payload: await readJsonObject(options.payload, '--payload', terminal) }),
    ...(options.delay !== undefined && { delay_seconds: options.delay }),
    ...(options.at !== undefined && { scheduled_at: options.at }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.maxAttempts !== undefined && { max_attempts: options.maxAttempts }),
    ...(options.lease !== undefined && { lease_seconds: options.lease }),
    ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
    ...(options.tag !== undefined && { tags: options.tag }),
  };
  const { idempotencyKey } = options;
  const { job, warning } = await client.submitJob(request, idempotencyKey === undefined ? {} : { idempotencyKey });
  if (warning === 'no-worker') {
    terminal.stderr.write(`holdfast: no live worker serves the type ${job.type}; the job waits for one\n`);
  }
  printer.one({ row: job, columns: JOB_FIELDS, id: idOf });
}
