import type { BenchOptions } from './options.ts';
import { installPeers } from './peers-folder.ts';
import { commitName, isOnMemoryDisk, machineFacts } from './report/machine.ts';
import type { Results, Run } from './report/results.ts';
import { figure } from './report/table.ts';
import { runOne, schedule } from './schedule.ts';
import { startCluster } from './stage/cluster.ts';
import { installRedis } from './stage/redis.ts';
import { WORKLOADS } from './workloads/catalog.ts';
import type { Group } from './workloads/workload.ts';

/** Runs the plan. @param onResults - Gets all there is after every run, so that nothing is lost when one is the last. */
export async function bench(
  options: BenchOptions,
  signal: AbortSignal,
  onResults: (results: Results) => void,
): Promise<Results> {
  const { repetitions, scale } = options;
  installPeers(options.peers);
  const notes = environmentNotes(options);
  for (const note of notes) process.stderr.write(`!! ${note}\n`);
  const groups = groupsOf(options, notes.length > 0 && !installRedis());
  const cluster = await startCluster();
  try {
    const machine = await machineFacts(cluster);
    const titles = groups.map(({ key, title }) => ({ key, title }));
    const facts = { machine, startedAt: new Date().toISOString(), commit: commitName(), repetitions, scale, notes };
    const runs: Run[] = [];
    for (const [index, planned] of schedule(groups, repetitions).entries()) {
      const run = await runOne(planned, cluster, `bench_${index}`, signal);
      runs.push(run);
      process.stderr.write(`${lineOf(run)}\n`);
      onResults({ ...facts, groups: titles, runs });
    }
    return { ...facts, groups: titles, runs };
  } finally {
    await cluster.stop();
  }
}

function environmentNotes({ peers }: BenchOptions): string[] {
  const notes: string[] = [];
  if (isOnMemoryDisk()) notes.push('The folder for temporary files is in memory: nothing here is durable. Set TMPDIR.');
  if (peers.includes('bullmq') && !installRedis())
    notes.push('BullMQ was left out: this machine has no redis-server, and it could not be installed.');
  return notes;
}

function groupsOf({ workloads, peers, scale, backlogs }: BenchOptions, withoutRedis: boolean): readonly Group[] {
  const wanted = new Set<string>(['holdfast', 'holdfast-http', ...peers]);
  return workloads
    .flatMap((name) => WORKLOADS[name]({ scale, backlogs }))
    .map((group) => ({
      ...group,
      entries: group.entries.filter(
        ({ product, store }) => wanted.has(product) && !(withoutRedis && store !== 'postgres'),
      ),
    }))
    .filter(({ entries }) => entries.length > 0);
}

function lineOf({ group, entry, repetition, seconds, metrics, error }: Run): string {
  const figures = Object.entries(metrics ?? {}).map(([name, value]) => `${name} ${figure(value)}`);
  const told = error === null ? figures.join(', ') : `FAILED: ${error}`;
  return `${repetition} ${group} ${entry} [${seconds.toFixed(1)} s]: ${told}`;
}
