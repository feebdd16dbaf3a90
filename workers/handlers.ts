import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyJobDefinition, isJobDefinition } from './define-job.ts';

/** The module of `HOLDFAST_HANDLERS` cannot be used. The message says why, for the person who set it. */
export class HandlersError extends Error {
  override readonly name = 'HandlersError';
}

/**
 * Loads job definitions from a module: every export made by `defineJob`, and those in an exported array.
 * @param path - Absolute, or relative to the folder the process was started in.
 * @throws HandlersError when it cannot be loaded, defines nothing, or defines a type twice.
 */
export async function loadHandlers(path: string, folder = process.cwd()): Promise<readonly AnyJobDefinition[]> {
  const file = isAbsolute(path) ? path : resolve(folder, path);
  const exported = await load(file);
  // One definition may be exported under its name and within the list as well.
  const jobs = [...new Set(Object.values(exported).flat().filter(isJobDefinition))];
  if (jobs.length === 0) {
    throw new HandlersError(`${file} exports no job: export what defineJob returns, under any name or as a list`);
  }
  requireDistinctTypes(jobs, file);
  return jobs;
}

/** @throws HandlersError naming the type that has two definitions. */
export function requireDistinctTypes(jobs: readonly AnyJobDefinition[], where: string): void {
  const seen = new Set<string>();
  for (const { type } of jobs) {
    if (seen.has(type)) throw new HandlersError(`${where} defines the type ${type} twice`);
    seen.add(type);
  }
}

async function load(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new HandlersError(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
