import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Listener } from '#runtime/postgres/listener';
import type { WakeUps } from '../wake-ups.ts';

// A lost notification costs one poll interval, so its commit need not wait for the disk.
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

/**
 * Carries wake-ups between the processes that share a log. NOTIFY takes one lock for the whole server, so it stays out of
 * the append's transaction, and there is at most one under way: what is appended meanwhile is told by the next.
 */
export class Notifier {
  readonly #pool: Pool;
  readonly #channel: string;
  /** Sent along, to tell this process's own notifications from those of others. */
  readonly #self = randomUUID();
  #isWanted = false;
  #sending: Promise<void> | null = null;

  constructor(pool: Pool, logId: string) {
    this.#pool = pool;
    this.#channel = `holdfast_log_${logId.slice(0, 8)}`;
  }

  /** Wakes readers when another process appended, and after a reconnect. The answer ends it. */
  listen(listener: Listener, wakeUps: WakeUps): Promise<() => void> {
    return listener.listen(this.#channel, (payload) => {
      if (payload !== this.#self) wakeUps.wake();
    });
  }

  notify(): void {
    this.#isWanted = true;
    this.#sending ??= this.#send();
  }

  /** Resolves when no notification is under way. */
  async whenIdle(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#pool.query(NOTIFY, [this.#channel, this.#self]).catch(() => undefined);
    }
    this.#sending = null;
  }
}
