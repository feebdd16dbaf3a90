import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { addCancel } from './jobs/cancel.ts';
import { addGet } from './jobs/get.ts';
import { addHistory } from './jobs/history.ts';
import { addList } from './jobs/list.ts';
import { addReplay } from './jobs/replay.ts';
import { addSubmit } from './jobs/submit.ts';
import { addWait } from './jobs/wait.ts';

export function addJobs(program: Command, terminal: Terminal): void {
  const jobs = program.command('jobs').description('submit jobs, look at them, steer them');
  addSubmit(jobs, terminal);
  addGet(jobs, terminal);
  addList(jobs, terminal);
  addHistory(jobs, terminal);
  addCancel(jobs, terminal);
  addReplay(jobs, terminal);
  addWait(jobs, terminal);
}
