import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.ts';

const SCRIPT = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

export interface Said {
  readonly event: string;
  readonly job?: string;
  readonly reason?: string;
  readonly lines?: readonly string[];
}

export interface WorkerProcess {
  readonly process: ChildProcess;
  readonly said: readonly Said[];
  /** Resolves with the exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  /** The first line of this event, about this job if one is named. */
  hears(event: string, job?: string, timeoutMs?: number): Promise<Said>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `worker-process.ts`; whoever calls kills it. */
export function spawnWorker(connectionString: string, workerId: string, graceSeconds = 1): WorkerProcess {
  const child = spawn(process.execPath, [SCRIPT, connectionString, workerId, String(graceSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: Said[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line) as Said));
  return {
    process: child,
    said,
    exited: once(child, 'exit').then(([code]) => code as number | null),
    hears: (event, job, timeoutMs = 20_000) =>
      until(
        `${workerId} says ${event}`,
        () => said.find((line) => line.event === event && (job === undefined || line.job === job)),
        timeoutMs,
      ),
    kill: (signal) => void child.kill(signal),
  };
}
