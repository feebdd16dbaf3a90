import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import type { Cluster } from '../stage/cluster.ts';
import { redisVersion } from '../stage/redis.ts';

const TMPFS = 0x01021994;

/** What a figure depends on beside the code. */
export async function machineFacts(cluster: Cluster): Promise<Record<string, string | number | boolean>> {
  const { server_version, ...settings } = await cluster.settings();
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.versions.node,
    postgres: server_version ?? 'unknown',
    redis: redisVersion() ?? 'none',
    dataInMemoryOnly: isOnMemoryDisk(),
    ...settings,
  };
}

/** Then nothing is durable, and the figures say nothing about disks. */
export function isOnMemoryDisk(): boolean {
  return statfsSync(tmpdir()).type === TMPFS;
}

/** The commit that is checked out, marked when files differ from it. */
export function commitName(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
