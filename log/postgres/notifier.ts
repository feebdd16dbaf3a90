import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Listener } from '#runtime/postgres/listener';
import { pause } from '#runtime/timer';
import type { WakeUps } from '../wake-ups.ts';

// A lost notification costs one poll interval, so its commit need not wait for the disk.
const NOTIFY = {
  name: 'notify',
  text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
};
/** Between the end of one notification and the next. Each costs the server as much as a small append. */
const REST_MS = 5;

/**
 * Carries wake-ups between the processes that share a log. NOTIFY takes one lock for the whole server, so it stays out of
 * the append's transaction. The first goes out at once; what is appended while it is under way, and for a moment after, is
 * told by the next.
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
      await this.#pool.query({ ...NOTIFY, values: [this.#channel, this.#self] }).catch(() => undefined);
      await pause(REST_MS);
    }
    this.#sending = null;
  }
}
