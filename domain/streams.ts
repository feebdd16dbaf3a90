import { JOB_ID_PATTERN } from './job/identity.ts';

/** Names of the streams, all under one configurable prefix. They are part of the storage format. */
export interface StreamNames {
  job(id: string): string;
  worker(id: string): string;
  /** The id of the job whose stream it is, or null for any other stream. */
  jobIdOf(stream: string): string | null;
  /** The id of the worker whose stream it is, or null for any other stream. */
  workerIdOf(stream: string): string | null;
}

export function streamNames(prefix = ''): StreamNames {
  const jobs = `${prefix}job-`;
  const workers = `${prefix}worker-`;
  const after = (start: string, stream: string) => (stream.startsWith(start) ? stream.slice(start.length) : null);
  return {
    job: (id) => jobs + id,
    worker: (id) => workers + id,
    jobIdOf(stream) {
      const id = after(jobs, stream);
      return id !== null && JOB_ID_PATTERN.test(id) ? id : null;
    },
    workerIdOf: (stream) => after(workers, stream),
  };
}
