import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HOLDFAST = fileURLToPath(new URL('../holdfast.js', import.meta.url));
const STOP_WITHIN_MS = 15_000;

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Where what it logs goes. */
  readonly logFile: string;
  /** The next line of its output that a pattern fits; rejects when the process ends first. */
  line(pattern: RegExp): Promise<RegExpMatchArray>;
  signal(signal: NodeJS.Signals): void;
  /** Settled when the process is gone. */
  readonly gone: Promise<void>;
}

/** The processes of one demo. Whatever happens, `stop` leaves none of them behind. */
export class Children {
  readonly #folder: string;
  readonly #started: { readonly child: Child; readonly process: ChildProcess }[] = [];

  constructor(logFolder: string) {
    this.#folder = logFolder;
  }

  /** Starts `holdfast <command>` with variables of its own. */
  start(name: string, command: string, env: Readonly<Record<string, string>>): Child {
    const logFile = join(this.#folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    // In a process group of its own: Ctrl-C reaches the demo alone, which then stops them in order.
    const started = spawn(process.execPath, [HOLDFAST, command], {
      env: { ...withoutOurs(process.env), ...env },
      stdio: ['ignore', 'pipe', log],
      detached: true,
    });
    closeSync(log);
    const child = childOf(name, logFile, started);
    this.#started.push({ child, process: started });
    return child;
  }

  /** Asks each to end, the last started first, and ends those that do not. */
  async stop(): Promise<void> {
    for (const { child, process: started } of this.#started.splice(0).reverse()) {
      // A frozen process hears nothing before it is woken.
      child.signal('SIGCONT');
      child.signal('SIGTERM');
      const timer = setTimeout(() => started.kill('SIGKILL'), STOP_WITHIN_MS);
      await child.gone;
      clearTimeout(timer);
    }
  }
}

/** The demo is the same for everybody: what the environment says about another installation does not count. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(HOLDFAST_.*|DATABASE_URL(_FILE)?|EVENTSTORE_URL(_FILE)?|KAFKA_BROKERS(_FILE)?)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}

function childOf(name: string, logFile: string, started: ChildProcess): Child {
  const { pid, stdout } = started;
  if (pid === undefined || stdout === null) throw new Error(`${name} could not be started`);
  const lines = createInterface({ input: stdout });
  const gone = once(started, 'exit').then(() => undefined);
  return {
    name,
    pid,
    logFile,
    line: async (pattern) => {
      const found = Promise.withResolvers<RegExpMatchArray>();
      lines.on('line', (line) => {
        const match = pattern.exec(line);
        if (match) found.resolve(match);
      });
      const ended = gone.then(() => Promise.reject(new Error(`${name} ended early; see ${logFile}`)));
      return await Promise.race([found.promise, ended]);
    },
    signal: (signal) => void started.kill(signal),
    gone,
  };
}
