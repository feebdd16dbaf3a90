/** Names of the streams that belong to one installation, under its prefix. */
export interface StreamNames {
  jobStream(jobId: string): string;
  /** The job of a stream; undefined when the stream is no job's. */
  jobIdOf(stream: string): string | undefined;
  /** The worker of a stream; undefined when the stream is no worker's. */
  workerIdOf(stream: string): string | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function streamNames(prefix: string): StreamNames {
  const [job, worker] = [`${prefix}job-`, `${prefix}worker-`];
  return {
    jobStream: (jobId) => job + jobId,
    jobIdOf: (stream) => {
      const id = stream.startsWith(job) ? stream.slice(job.length) : '';
      return UUID.test(id) ? id : undefined;
    },
    workerIdOf: (stream) => (stream.startsWith(worker) ? stream.slice(worker.length) : undefined),
  };
}
