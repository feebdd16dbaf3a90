import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Job } from '#client/types';
import { seconds } from '../../arguments.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT } from '../../exit-codes.ts';
import { printable } from '../../printable.ts';
import { openSession, type Session } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { idOf, JOB_FIELDS } from './columns.ts';

/** As long as the server lets one call wait. */
const LONGEST_WAIT_SECONDS = 60;

export function addWait(jobs: Command, terminal: Terminal): void {
  jobs
    .command('wait')
    .description('wait until a job is final, and show it; the exit code is 0 only when it succeeded')
    .argument('<id>', 'of the job')
    .option('--timeout <seconds>', 'give up after so long, with exit code 6 (default: never)', seconds)
    .action(async (id: string, options: { timeout?: number }, command) => {
      const session = openSession(command, terminal);
      const job = await untilFinal(session, id, options.timeout ?? Number.POSITIVE_INFINITY);
      session.printer.one({ row: job, columns: JOB_FIELDS, id: idOf });
      if (job.status === 'succeeded') return;
      const why = job.status === 'dead' ? (job.last_error?.message ?? job.dead_reason) : job.cancel?.reason;
      throw new CommandFailure(EXIT.failed, `The job is ${job.status}${why ? `: ${printable(why)}` : ''}`);
    });
}

async function untilFinal({ client }: Session, id: string, timeoutSeconds: number): Promise<Job> {
  const deadline = performance.now() + timeoutSeconds * 1_000;
  for (;;) {
    const leftMs = deadline - performance.now();
    // The server waits whole seconds; what is left below one is waited for here.
    const job = await client.getJob(id, {
      wait: Math.max(0, Math.min(LONGEST_WAIT_SECONDS, Math.floor(leftMs / 1_000))),
    });
    if (job.status !== 'pending' && job.status !== 'running') return job;
    if (leftMs <= 0) {
      throw new CommandFailure(EXIT.unavailable, `The job is still ${job.status} after ${timeoutSeconds} seconds`);
    }
    if (leftMs < 1_000) await delay(leftMs);
  }
}
