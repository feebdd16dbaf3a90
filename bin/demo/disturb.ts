import type { Client } from '#client/client';
import type { Progress } from '../cli/progress.ts';
import type { DemoWorker, Installation } from './installation.ts';
import { readCounter } from './metrics.ts';
import { until } from './until.ts';
import { SLOW_MS, submitFiles } from './work.ts';

/** What was done to the workers, and what came of it. */
export interface Disturbance {
  /** Ids of the slow jobs that a worker was in the middle of when it was killed or frozen. */
  readonly interrupted: readonly string[];
  /** Writes of the frozen worker that were refused after it woke. */
  readonly staleWrites: number;
}

/** Two workers that stand still, each in the middle of slow jobs. */
export interface Caught {
  readonly victim: DemoWorker;
  readonly sleeper: DemoWorker;
  readonly victimHolds: readonly Held[];
  readonly sleeperHolds: readonly Held[];
}

/** A job that a worker was in the middle of, and the token of that claim. */
interface Held {
  readonly jobId: string;
  readonly workerId: string | null;
  readonly fencingToken: number;
}

const SLOW_AT_ONCE = 12;
const PATIENCE_MS = 60_000;

/**
 * Stops two workers, each in the middle of a job that is known to take its time; then they cannot finish it while we
 * look. Whoever was not caught so goes on, and the next dozen is tried.
 * @param slowFiles - What is not needed is left in the list.
 */
export async function catchTwo({ client, workers }: Installation, slowFiles: string[]): Promise<Caught> {
  const [victim, sleeper] = workers as [DemoWorker, DemoWorker];
  const [victimId, sleeperId] = await announcedAs(client, [victim, sleeper]);
  while (slowFiles.length > 0) {
    const jobIds = await handOut(client, slowFiles.splice(0, SLOW_AT_ONCE));
    const bothHold = async () => {
      const holders = new Set((await lookUp(client, jobIds)).map(({ workerId }) => workerId));
      return holders.has(victimId) && holders.has(sleeperId);
    };
    if (!(await until('both hold a slow job', SLOW_MS, bothHold).catch(() => false))) continue;
    for (const { child } of [victim, sleeper]) child.signal('SIGSTOP');
    const held = await lookUp(client, jobIds);
    const victimHolds = held.filter(({ workerId }) => workerId === victimId);
    const sleeperHolds = held.filter(({ workerId }) => workerId === sleeperId);
    if (victimHolds.length > 0 && sleeperHolds.length > 0) return { victim, sleeper, victimHolds, sleeperHolds };
    for (const { child } of [victim, sleeper]) child.signal('SIGCONT');
  }
  throw new Error('the two workers never were in the middle of a slow job at the same time');
}

/**
 * Kills one of the workers with SIGKILL and leaves the other frozen until its leases were ended and others have started
 * its jobs. Then it is woken, and tries to go on.
 */
export async function disturb(client: Client, caught: Caught, progress: Progress): Promise<Disturbance> {
  const { victim, sleeper, victimHolds, sleeperHolds } = caught;
  victim.child.signal('SIGKILL');
  progress.say(
    `kill -9 ${victim.child.name}, in the middle of ${victimHolds.length} slow jobs and whatever else it held`,
  );
  progress.say(`SIGSTOP ${sleeper.child.name}, in the middle of ${sleeperHolds.length} slow jobs`);
  await until('others have started the frozen jobs', PATIENCE_MS, () => areTaken(client, sleeperHolds));
  sleeper.child.signal('SIGCONT');
  progress.say(`SIGCONT ${sleeper.child.name}: its leases were ended, others have started its jobs`);
  const staleWrites = await until('the woken worker was refused', PATIENCE_MS, () =>
    readCounter(sleeper.metricsUrl, 'holdfast_stale_writes_total'),
  );
  progress.say(`${sleeper.child.name} reported all the same, and was refused`);
  return { interrupted: [...victimHolds, ...sleeperHolds].map(({ jobId }) => jobId), staleWrites };
}

/** The names under which worker processes are known, by their process ids. */
async function announcedAs(client: Client, workers: readonly [DemoWorker, DemoWorker]): Promise<[string, string]> {
  return await until('the workers have announced themselves', PATIENCE_MS, async () => {
    const { data } = await client.listWorkers();
    const [first, second] = workers.map(({ child }) => data.find(({ pid }) => pid === child.pid)?.worker_id);
    return first !== undefined && second !== undefined && [first, second];
  });
}

/** One at a time: a dozen in one submit would all go to the first worker that asks. */
async function handOut(client: Client, slowFiles: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of slowFiles) ids.push(...(await submitFiles(client, [path], { slow: true })));
  return ids;
}

/** Who holds the jobs by the log itself: a single job is always read from its stream. */
async function lookUp(client: Client, jobIds: readonly string[]): Promise<Held[]> {
  const jobs = await Promise.all(jobIds.map((id) => client.getJob(id)));
  return jobs.map((job) => ({
    jobId: job.id,
    workerId: job.lease?.worker_id ?? null,
    fencingToken: job.fencing_token,
  }));
}

async function areTaken(client: Client, held: readonly Held[]): Promise<boolean> {
  const jobs = await lookUp(
    client,
    held.map(({ jobId }) => jobId),
  );
  return jobs.every((job, at) => job.fencingToken > (held[at]?.fencingToken ?? 0));
}
