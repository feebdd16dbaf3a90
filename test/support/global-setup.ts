import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser URL of the run's server; the database it names is only for making others. */
    postgresUrl: string;
    /** Folder for the tests' own files; gone at the end of the run, with every server that still runs below it. */
    scratch: string;
  }
}

/**
 * One PostgreSQL server for the whole run. A keeper process owns it and ends it, with its files, when this process is
 * gone, in whatever way: it holds the other end of the pipe.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const keeper = spawn(process.execPath, [fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C must not reach it before the tests have let go of the server.
    detached: true,
  });
  const ended = once(keeper, 'exit');
  const firstLine = once(keeper.stdout, 'data').then(([data]) => JSON.parse(String(data)));
  const ready = await Promise.race([firstLine, ended.then(() => null)]);
  if (ready === null) throw new Error('the test server did not start');
  project.provide('postgresUrl', ready.postgresUrl);
  project.provide('scratch', ready.scratch);
  return async () => {
    keeper.stdin.end();
    await ended;
  };
}
