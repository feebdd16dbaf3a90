import type { Command } from 'commander';
import type { JobQuery, ListedJob, Page } from '#client/types';
import { collect, positiveNumber } from '../../arguments.ts';
import { openSession, type Session } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { idOf, LIST_COLUMNS } from './columns.ts';

/** As many as the server gives at once. */
const LARGEST_PAGE = 200;

interface ListOptions {
  readonly status?: readonly string[];
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly sort?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export function addList(jobs: Command, terminal: Terminal): void {
  jobs
    .command('list')
    .description('list jobs, newest first')
    .option('--status <status>', 'pending, running, succeeded, dead or cancelled; several mean any of them', collect)
    .option('--queue <queue>', 'several mean any of them', collect)
    .option('--type <type>', 'several mean any of them', collect)
    .option('--tag <tag>', 'several mean all of them', collect)
    .option('--created-after <instant>', 'from this instant on (RFC 3339)')
    .option('--created-before <instant>', 'before this instant')
    .option('--sort <field>', '-created_at, created_at, scheduled_at or -updated_at (default: -created_at)')
    .option('--cursor <cursor>', 'go on after an earlier list, by the next_cursor that --json shows')
    .option('--limit <number>', 'at most so many', positiveNumber, 50)
    .action(async (options: ListOptions, command) => {
      const session = openSession(command, terminal);
      const page = await upTo(options.limit, session, queryOf(options));
      session.printer.list({
        rows: page.data,
        columns: LIST_COLUMNS,
        id: idOf,
        whole: page,
        empty: 'No job matches. Submit one with: holdfast jobs submit --type noop',
      });
    });
}

function queryOf(options: ListOptions): JobQuery {
  const { status, queue, type, tag, createdAfter, createdBefore, sort, cursor } = options;
  return {
    ...(status && { status: status as NonNullable<JobQuery['status']> }),
    ...(queue && { queue }),
    ...(type && { type }),
    ...(tag && { tag }),
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
    ...(sort !== undefined && { sort: sort as NonNullable<JobQuery['sort']> }),
    ...(cursor !== undefined && { cursor }),
  };
}

/** As many pages as the limit takes; their rows as one page. */
async function upTo(limit: number, { client }: Session, query: JobQuery): Promise<Page<ListedJob>> {
  const data: ListedJob[] = [];
  let cursor: string | null = query.cursor ?? null;
  do {
    const size = Math.min(LARGEST_PAGE, limit - data.length);
    const page: Page<ListedJob> = await client.listJobs({ ...query, limit: size, ...(cursor !== null && { cursor }) });
    data.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && data.length < limit);
  return { data, next_cursor: cursor };
}
