import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AnswerMessage, CallMessage, ChildCalls } from './calls.ts';

const SCRIPT = fileURLToPath(new URL('./child.ts', import.meta.url));
const ENDS_WITHIN_MS = 5_000;

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>;

/** A process of ours; a call rejects when the process fails it or ends. */
export class Child {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;

  constructor() {
    this.#process = fork(SCRIPT, [], { serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] });
    this.#process.on('message', (message: AnswerMessage) => this.#onAnswer(message));
    this.#process.once('exit', (code, signal) => this.#onEnd(new Error(`a bench process ended: ${signal ?? code}`)));
    this.#process.once('error', (error) => this.#onEnd(error));
  }

  call<Name extends keyof ChildCalls>(
    name: Name,
    ...args: Parameters<ChildCalls[Name]>
  ): Promise<Awaited<ReturnType<ChildCalls[Name]>>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls += 1;
    const message: CallMessage = { id: this.#calls, name, args };
    this.#waiting.set(message.id, { resolve, reject });
    this.#process.send(message, (error) => {
      if (error) this.#settle(message.id)?.reject(error);
    });
    return promise as Promise<Awaited<ReturnType<ChildCalls[Name]>>>;
  }

  /** Lets it close what it has open, and ends it either way. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), ENDS_WITHIN_MS);
    await this.call('close').catch(() => undefined);
    this.#process.kill('SIGTERM');
    await gone;
    clearTimeout(killer);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #onAnswer(message: AnswerMessage): void {
    const waiting = this.#settle(message.id);
    if ('error' in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.value);
  }

  #onEnd(reason: Error): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(reason);
  }
}
