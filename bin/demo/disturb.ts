import type { Client } from '#client/client';
import type { Progress } from '../cli/progress.ts';
import type { DemoWorker, Installation } from './installation.ts';
import { readCounter } from './metrics.ts';
import { until } from './until.ts';
import { QUEUE, SLOW_TAG, submitFiles } from './work.ts';

/** What was done to the workers, and what came of it. */
export interface Disturbance {
  /** Ids of the slow jobs that a worker was in the middle of when it was killed or frozen. */
  readonly interrupted: readonly string[];
  /** Writes of the frozen worker that were refused after it woke. */
  readonly staleWrites: number;
}

/** A job that a worker was in the middle of, and the token of that claim. */
interface Held {
  readonly jobId: string;
  readonly fencingToken: number;
}

const SLOW_AT_ONCE = 12;
const ROUND_MS = 2_500;
const PATIENCE_MS = 60_000;

/**
 * Kills one worker with SIGKILL and freezes another, each in the middle of a job that is known to take its time. The
 * frozen one is woken when its leases were ended and others have started its jobs; it then tries to go on.
 * @param slowFiles - Submitted a dozen at a time until both workers hold one; what is not needed is left in the list.
 */
export async function disturb(
  { client, workers }: Installation,
  slowFiles: string[],
  progress: Progress,
): Promise<Disturbance> {
  const [victim, sleeper] = workers as [DemoWorker, DemoWorker];
  const [victimId, sleeperId] = await announcedAs(client, [victim, sleeper]);
  await untilEachHolds(client, slowFiles, [victimId, sleeperId]);
  victim.child.signal('SIGKILL');
  sleeper.child.signal('SIGSTOP');
  const killed = await heldBy(client, victimId);
  const frozen = await heldBy(client, sleeperId);
  if (killed.length === 0 || frozen.length === 0) throw new Error('a worker was not caught in the middle of a job');
  progress.say(`kill -9 ${victim.child.name} in the middle of ${killed.length} slow jobs (and whatever else it held)`);
  progress.say(`SIGSTOP ${sleeper.child.name} in the middle of ${frozen.length} slow jobs`);
  await until('others have started the frozen jobs', PATIENCE_MS, () => areTaken(client, frozen));
  sleeper.child.signal('SIGCONT');
  progress.say(`SIGCONT ${sleeper.child.name}: its leases were ended, its jobs are with others`);
  const staleWrites = await until('the woken worker was refused', PATIENCE_MS, () =>
    readCounter(sleeper.metricsUrl, 'holdfast_stale_writes_total'),
  );
  progress.say(`${sleeper.child.name} reported all the same: ${staleWrites} stale writes refused`);
  return { interrupted: [...killed, ...frozen].map(({ jobId }) => jobId), staleWrites };
}

/** The names under which worker processes are known, by their process ids. */
async function announcedAs(client: Client, workers: readonly [DemoWorker, DemoWorker]): Promise<[string, string]> {
  return await until('the workers have announced themselves', PATIENCE_MS, async () => {
    const { data } = await client.listWorkers();
    const [first, second] = workers.map(({ child }) => data.find(({ pid }) => pid === child.pid)?.worker_id);
    return first !== undefined && second !== undefined && [first, second];
  });
}

async function untilEachHolds(client: Client, slowFiles: string[], workerIds: readonly string[]): Promise<void> {
  while (slowFiles.length > 0) {
    await submitFiles(client, slowFiles.splice(0, SLOW_AT_ONCE), { slow: true });
    const holdsOne = async () => {
      const holders = new Set((await runningSlowJobs(client)).map((job) => job.lease?.worker_id));
      return workerIds.every((id) => holders.has(id));
    };
    if (await until('each holds a slow job', ROUND_MS, holdsOne).catch(() => false)) return;
  }
  throw new Error('the two workers never held a slow job at the same time');
}

async function runningSlowJobs(client: Client) {
  const { data } = await client.listJobs({ queue: [QUEUE], tag: [SLOW_TAG], status: ['running'], limit: 200 });
  return data;
}

/** Slow jobs that a worker holds by the log itself: a single job is always read from its stream. */
async function heldBy(client: Client, workerId: string): Promise<Held[]> {
  const jobs = await Promise.all((await runningSlowJobs(client)).map(({ id }) => client.getJob(id)));
  return jobs
    .filter((job) => job.lease?.worker_id === workerId)
    .map((job) => ({ jobId: job.id, fencingToken: job.fencing_token }));
}

async function areTaken(client: Client, held: readonly Held[]): Promise<boolean> {
  const jobs = await Promise.all(held.map(({ jobId }) => client.getJob(jobId)));
  return jobs.every((job, at) => job.fencing_token > (held[at]?.fencingToken ?? 0));
}
