import { type Running, startServing } from '#test/bin/server-process';
import { Child } from '../children/fork.ts';
import type { Entry, Store } from '../products/catalog.ts';
import type { Cluster } from './cluster.ts';
import { familyCpuSeconds } from './process-cpu.ts';
import { type Redis, startRedis } from './redis.ts';

/** CPU seconds so far of every part of a run. */
/** What the script `start` of package.json gives to Node. */
const AS_NPM_START = ['--max-semi-space-size=4'];

export interface Cpu {
  readonly load: number;
  readonly worker: number;
  readonly store: number;
  readonly server: number;
}

export interface StageOptions {
  readonly cluster: Cluster;
  readonly entry: Entry;
  /** Of the database; lower case, no blanks. */
  readonly name: string;
  readonly clients: number;
}

/** Everything one run of one product stands on: a new store, a load process, and workers and a server as it needs them. */
export class Stage {
  readonly entry: Entry;
  readonly load = new Child();
  readonly workers: Child[] = [];
  server: Running | null = null;
  databaseUrl: string | null = null;
  readonly #options: StageOptions;
  #storePid = 0;
  #redis: Redis | null = null;

  private constructor(options: StageOptions) {
    this.#options = options;
    this.entry = options.entry;
  }

  /** @param signal - Kills the processes, so that whatever waits for them fails. */
  static async open(options: StageOptions, signal: AbortSignal): Promise<Stage> {
    const stage = new Stage(options);
    signal.addEventListener('abort', () => stage.#kill());
    try {
      await stage.#prepare();
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  async addWorker(): Promise<Child> {
    const worker = new Child();
    this.workers.push(worker);
    await worker.call('create', ...this.#productArgs());
    return worker;
  }

  async cpu(): Promise<Cpu> {
    const usages = await Promise.all(this.workers.map((worker) => worker.call('usage')));
    return {
      load: (await this.load.call('usage')).cpuSeconds,
      worker: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      store: familyCpuSeconds(this.#storePid),
      server: this.server ? familyCpuSeconds(this.server.pid) : 0,
    };
  }

  async close(): Promise<void> {
    const { cluster, name } = this.#options;
    await Promise.all([this.load, ...this.workers].map((child) => child.end()));
    // Its process id may be another's by the time that the limit of this run is over.
    const server = this.server;
    this.server = null;
    await server?.stop();
    await this.#redis?.stop();
    if (this.databaseUrl !== null) await cluster.dropDatabase(name);
  }

  async #prepare(): Promise<void> {
    const { cluster, name, entry } = this.#options;
    if (entry.store === 'postgres') {
      this.databaseUrl = await cluster.createDatabase(name);
      this.#storePid = cluster.pid;
    } else {
      this.#redis = await startRedis(syncOf(entry.store));
      this.#storePid = this.#redis.pid;
    }
    await this.load.call('create', ...this.#productArgs());
    await this.load.call('setup');
    if (entry.serverRoles === undefined || this.databaseUrl === null) return;
    this.server = await startServer(this.databaseUrl, entry.serverRoles);
    await this.load.call('create', ...this.#productArgs());
  }

  #productArgs() {
    const { entry, clients } = this.#options;
    const storeUrl = this.databaseUrl ?? this.#redis?.url ?? '';
    return [entry.product, { storeUrl, serverUrl: this.server?.url ?? null, mode: entry.mode, clients }] as const;
  }

  #kill(): void {
    for (const child of [this.load, ...this.workers]) child.kill();
    if (this.server) process.kill(this.server.pid, 'SIGKILL');
  }
}

function syncOf(store: Exclude<Store, 'postgres'>): 'always' | 'everysec' {
  return store === 'redis-always' ? 'always' : 'everysec';
}

function startServer(databaseUrl: string, roles: string): Promise<Running> {
  const env = { DATABASE_URL: databaseUrl, HOLDFAST_ROLES: roles, HOLDFAST_PORT: '0', HOLDFAST_LOG_LEVEL: 'warn' };
  return startServing([process.execPath, ...AS_NPM_START, 'bin/holdfast.js', 'server'], env);
}
