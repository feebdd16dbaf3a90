import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '#client/client';
import { startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { migrate } from '#runtime/postgres/migrate';
import { type Child, Children } from './children.ts';

const HANDLERS = fileURLToPath(new URL('../../examples/file-hash.ts', import.meta.url));
const WORKERS = 3;
const SCHEMA = 'holdfast';

export interface DemoWorker {
  readonly child: Child;
  readonly metricsUrl: string;
}

export interface Installation {
  readonly dataDir: string;
  readonly client: Client;
  readonly url: string;
  readonly workers: readonly DemoWorker[];
}

/** What was started so far, and how to end it: also when something in between fails, or Ctrl-C comes. */
export class Scaffold {
  readonly dataDir: string;
  readonly #children: Children;
  #starting: Promise<Installation> | undefined;
  #stopPostgres: () => Promise<void> = async () => undefined;

  constructor() {
    this.dataDir = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
    // The database may run as another user than we do, who has to get in.
    chmodSync(this.dataDir, 0o755);
    this.#children = new Children(this.dataDir);
  }

  /** A database, a server without a worker, and three worker processes, as they would run on several machines. */
  start(): Promise<Installation> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async stop(options: { readonly keep: boolean }): Promise<void> {
    await this.#children.stop();
    await Promise.allSettled([this.#starting]);
    await this.#children.stop();
    await this.#stopPostgres();
    if (!options.keep) removeData(this.dataDir);
  }

  async #start(): Promise<Installation> {
    const postgres = await startEmbeddedPostgres({ dataDir: this.dataDir });
    this.#stopPostgres = () => postgres.stop();
    await migrate({ connectionString: postgres.connectionString, schema: SCHEMA });
    const shared = { DATABASE_URL: postgres.connectionString };
    const server = this.#children.start('server', 'server', {
      ...shared,
      HOLDFAST_ROLES: 'api,projector,scheduler',
      HOLDFAST_PORT: '0',
    });
    const [, url = ''] = await server.line(/^holdfast ready (\S+)/);
    const workers = await Promise.all(Array.from({ length: WORKERS }, (_, at) => this.#worker(at + 1, shared)));
    return { dataDir: this.dataDir, client: createClient({ url }), url, workers };
  }

  async #worker(number: number, shared: Readonly<Record<string, string>>): Promise<DemoWorker> {
    const port = await freePort();
    const child = this.#children.start(`worker-${number}`, 'worker', {
      ...shared,
      HOLDFAST_HANDLERS: HANDLERS,
      HOLDFAST_OPS_PORT: String(port),
      HOLDFAST_CONCURRENCY: '50',
      HOLDFAST_SHUTDOWN_SECONDS: '5',
    });
    return { child, metricsUrl: `http://127.0.0.1:${port}/metrics` };
  }
}

/** The cluster itself may lie elsewhere, behind a link, when its user could not enter the data directory. */
function removeData(dataDir: string): void {
  const cluster = join(dataDir, 'postgres');
  if (existsSync(cluster)) rmSync(realpathSync(cluster), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return await promise;
}
