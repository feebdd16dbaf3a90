import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../logger.ts';
import { backoffMs } from '../timer.ts';
import { quoteIdentifier, sessionConfig } from './session.ts';

type OnNotify = (payload?: string) => void;

export interface Listener {
  /**
   * Calls `onNotify` for each notification on the channel (with its payload) and after each (re)connect (without one),
   * since something may have been missed. Resolves once the channel is listened to or, with the database away, when the
   * first attempt has failed: a wake-up only saves time. The answer ends the listening.
   */
  listen(channel: string, onNotify: OnNotify): Promise<() => void>;
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly connectionString: string;
  readonly logger: Logger;
  /** How often a silent connection is tried out. Default 10,000. */
  readonly probeEveryMs?: number;
  /** How long it may take to answer. Default 5,000. */
  readonly probeTimeoutMs?: number;
}

const BACKOFF = { firstMs: 100, longestMs: 5_000 };

/** Listens on a connection of its own, for ever: it reconnects by itself and notices a connection that died silently. */
export function createListener(options: ListenerOptions): Listener {
  return new ReconnectingListener(options);
}

class ReconnectingListener implements Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<OnNotify>>();
  readonly #closing = new AbortController();
  readonly #firstAttempt = Promise.withResolvers<void>();
  #client: Client | null = null;
  #lastQuery: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> | null = null;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async listen(channel: string, onNotify: OnNotify): Promise<() => void> {
    const known = this.#channels.get(channel);
    if (known) known.add(onNotify);
    else this.#channels.set(channel, new Set([onNotify]));
    this.#loop ??= this.#run();
    await this.#firstAttempt.promise;
    if (!known) await this.#send(`LISTEN ${quoteIdentifier(channel)}`);
    return () => this.#leave(channel, onNotify);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#loop;
  }

  #leave(channel: string, onNotify: OnNotify): void {
    const callbacks = this.#channels.get(channel);
    if (!callbacks?.delete(onNotify) || callbacks.size > 0) return;
    this.#channels.delete(channel);
    void this.#send(`UNLISTEN ${quoteIdentifier(channel)}`);
  }

  /** A failure breaks the connection; the next one listens to every channel anew. */
  async #send(sql: string): Promise<void> {
    const client = this.#client;
    if (client !== null) await this.#query(client, sql).catch(() => client.end().catch(() => undefined));
  }

  /** One after the other: the driver takes no second query while one is under way. */
  #query(client: Client, sql: string): Promise<unknown> {
    const answer = this.#lastQuery.then(() => client.query(sql));
    this.#lastQuery = answer.catch(() => undefined);
    return answer;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const connected = await this.#listenUntilBroken();
      if (this.#closing.signal.aborted) break;
      failures = connected ? 1 : failures + 1;
      await delay(backoffMs(failures, BACKOFF), undefined, { signal: this.#closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
    this.#firstAttempt.resolve();
  }

  /** Whether it had been connected. */
  async #listenUntilBroken(): Promise<boolean> {
    const { connectionString, logger, probeEveryMs = 10_000, probeTimeoutMs = 5_000 } = this.#options;
    const session = { connectionString, schema: 'pg_catalog', name: 'listener', statementTimeoutMs: 0 };
    const client = new Client({ ...sessionConfig(session), query_timeout: probeTimeoutMs });
    client.on('error', (error) => logger.debug({ err: error }, 'the connection for wake-ups broke'));
    client.on('notification', ({ channel, payload }) => this.#wake(channel, payload));
    const ended = new Promise((resolve) => client.once('end', resolve));
    try {
      await client.connect();
      this.#closing.signal.throwIfAborted();
      this.#client = client;
      // Channels that are added from here on are sent by `listen` itself.
      const channels = [...this.#channels.keys()].map((name) => `LISTEN ${quoteIdentifier(name)}`);
      await this.#query(client, channels.join('; '));
    } catch (error) {
      if (!this.#closing.signal.aborted) logger.warn({ err: error }, 'cannot listen for wake-ups; polling goes on');
      this.#firstAttempt.resolve();
      this.#client = null;
      await client.end().catch(() => undefined);
      return false;
    }
    this.#firstAttempt.resolve();
    for (const channel of this.#channels.keys()) this.#wake(channel);
    const probe = setInterval(() => void this.#send('SELECT 1'), probeEveryMs).unref();
    await ended;
    clearInterval(probe);
    this.#client = null;
    return true;
  }

  #wake(channel: string, payload?: string): void {
    for (const onNotify of this.#channels.get(channel) ?? []) onNotify(payload);
  }
}
