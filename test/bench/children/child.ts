import type { AnswerMessage, CallMessage, ChildCalls } from './calls.ts';
import { openSession } from './session.ts';

/* A load or worker process: does what the bench tells it, and ends with it. */

const calls = openSession();

process.on('message', (message: CallMessage) => void answer(message));
process.on('disconnect', () => process.exit(1));
// Ctrl-C in a terminal reaches all processes; the bench ends its own in order.
process.on('SIGINT', () => undefined);

async function answer({ id, name, args }: CallMessage): Promise<void> {
  const reply = (message: AnswerMessage) => process.send?.(message);
  try {
    const call = calls[name as keyof ChildCalls] as (...args: readonly unknown[]) => Promise<unknown>;
    reply({ id, value: await call(...args) });
  } catch (error) {
    reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
