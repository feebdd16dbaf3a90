import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JobCommand } from '#domain/job/commands';
import type { Job } from '#domain/job/state';
import { apply, failing, type History, NOON, releasing, submittedJob } from '../domain/jobs.ts';

const page = readFileSync(new URL('../../docs/job-lifecycle.md', import.meta.url), 'utf8');

describe('docs/job-lifecycle.md', () => {
  test('names every move that the domain makes, and no other', () => {
    expect(sorted(linesOfPage())).toEqual(sorted(movesOfDomain()));
  });

  test('draws the moves that it names', () => {
    const named = linesOfPage().filter((line) => isMove(line));
    expect(sorted(arrowsOfDrawing())).toEqual(sorted(new Set(named)));
  });
});

function linesOfPage(): string[] {
  return [...page.matchAll(/^- (\w+) → (\w+): `([\w +]+)`$/gm)].map(
    ([, from, to, events]) => `${from} ${to} ${events}`,
  );
}

function arrowsOfDrawing(): string[] {
  return [...page.matchAll(/^ {2}(\S+) --> (\w+): (.+)$/gm)].flatMap(([, from, to, events]) =>
    events!.split(', ').map((one) => `${from === '[*]' ? 'nothing' : from} ${to} ${one}`),
  );
}

function isMove(line: string): boolean {
  const [from, to] = line.split(' ');
  return from !== to;
}

/** Every kind of job that can be reached from a fresh one, moved by every command at every time that matters. */
function movesOfDomain(): Set<string> {
  const fresh = submittedJob({ max_attempts: 2, lease_seconds: 30 });
  const first: History = { ...fresh, job: { ...fresh.job, idempotencyKey: 'a key', keyUse: 0 } };
  const moves = new Set([`nothing ${first.job.status} ${first.events[0]!.type}`]);
  const seen = new Set<string>();
  const open: History[] = [first];
  for (let history = open.pop(); history; history = open.pop()) {
    if (seen.has(kindOf(history.job))) continue;
    seen.add(kindOf(history.job));
    for (const next of successors(history)) {
      const added = next.events.slice(history.events.length).map(({ type }) => type);
      moves.add(`${history.job.status} ${next.job.status} ${added.join(' + ')}`);
      open.push(next);
    }
  }
  return moves;
}

function successors(history: History): History[] {
  const times = [history.job.updatedAt, history.job.updatedAt + 31_000, NOON + 365 * 86_400_000];
  return times.flatMap((now) =>
    commandsFor(history.job)
      .map((command) => apply(history, command, { now }).history)
      .filter((next) => next !== history),
  );
}

function commandsFor({ fencingToken }: Job): JobCommand[] {
  return [
    { kind: 'claim', workerId: 'w', leaseSeconds: null, requestId: null },
    { kind: 'heartbeat', fencingToken },
    { kind: 'complete', fencingToken, result: null },
    failing(fencingToken),
    failing(fencingToken, { retryable: false }),
    releasing(fencingToken),
    { kind: 'end-lease' },
    { kind: 'cancel', reason: null },
    { kind: 'replay', reason: null, maxAttempts: null },
    { kind: 'reschedule', scheduledAt: null, priority: 1 },
    { kind: 'acknowledge', reason: null },
    { kind: 'release-key' },
  ];
}

/** What decisions depend on, counters capped so that the walk ends. */
function kindOf(job: Job): string {
  const { status, attempt, crashes, keyReleased, fencingToken, releasesInRow } = job;
  const cancel = 'cancel' in job && job.cancel !== null;
  const acknowledged = job.status === 'dead' && job.acknowledged;
  const capped = [attempt, crashes, Math.min(fencingToken, 4), Math.min(releasesInRow, 1)];
  return JSON.stringify([status, capped, keyReleased, cancel, acknowledged]);
}

function sorted(lines: Iterable<string>): string[] {
  return [...lines].sort();
}
