import type { Http } from './http.ts';
import type { Observer, Payload } from './product.ts';

interface Leases {
  readonly leases: readonly {
    readonly job: { readonly id: string; readonly payload: Payload };
    fencing_token: number;
  }[];
}

interface Outcomes {
  readonly results: readonly { readonly problem: unknown }[];
}

/** A worker that speaks the lease protocol: so many loops, each claims up to 100 jobs, runs them and reports them. */
export function startLeaseLoops(http: Http, loops: number, observer: Observer): { stop(): Promise<void> } {
  let stopping = false;
  const loop = async (worker: number): Promise<void> => {
    while (!stopping) await leaseOnce(http, worker, observer);
  };
  const ends = Array.from({ length: loops }, (_, worker) => loop(worker));
  for (const end of ends) end.catch((error) => process.stderr.write(`lease loop: ${error}\n`));
  return {
    async stop() {
      stopping = true;
      await Promise.all(ends);
    },
  };
}

async function leaseOnce(http: Http, worker: number, { onStart, onDone }: Observer): Promise<void> {
  const wanted = { worker_id: `bench-${worker}`, max_jobs: 100, wait_seconds: 1 };
  const { leases } = (await http.post<Leases>('/v1/leases', wanted)).body;
  if (leases.length === 0) return;
  const outcomes = leases.map(({ job, fencing_token }) => {
    onStart(job.payload.n);
    return { job_id: job.id, fencing_token, action: 'complete', result: null };
  });
  const { results } = (await http.post<Outcomes>('/v1/leases/outcomes', { outcomes })).body;
  const refused = results.find(({ problem }) => problem !== null);
  if (refused) throw new Error(`an outcome was refused: ${JSON.stringify(refused.problem)}`);
  for (const { job } of leases) onDone(job.payload.n);
}
