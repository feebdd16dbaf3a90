import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closestName } from './closest-name.ts';
import { type Role, type Settings, settingsSchema, UNSUPPORTED } from './settings.ts';
import { readVariables } from './variables.ts';

export type { Role };

/** What a process was told by its environment. See `settings.ts` for the variables, their defaults and limits. */
export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly opsPort: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** `null`: the embedded server. Holds a password. */
  readonly databaseUrl: string | null;
  readonly roles: ReadonlySet<Role>;
  readonly handlers: string | null;
  /** `null`: all. */
  readonly queues: readonly string[] | null;
  readonly concurrency: number;
  readonly shutdownSeconds: number;
  readonly pollMs: number;
  readonly sweepMs: number;
  readonly adminKey: string | null;
  readonly logLevel: Settings['HOLDFAST_LOG_LEVEL'];
  readonly schema: string;
  readonly streamPrefix: string;
  readonly keyWindowSeconds: number;
  /** Hosts in private networks that `http` jobs may call. */
  readonly httpAllow: readonly string[];
  /** The server the CLI speaks to. */
  readonly url: string;
  readonly apiKey: string | null;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One sentence for each bad variable. Values are never quoted: some are secrets. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const PACKAGE_ROOT = fileURLToPath(new URL('../', import.meta.url));
const KNOWN = [...Object.keys(settingsSchema.shape), ...Object.keys(UNSUPPORTED)];

/**
 * Reads the environment. A name that looks like ours but is not known is a warning, with the nearest known name.
 * @throws ConfigError naming every bad variable at once.
 */
export function loadConfig(env: Record<string, string | undefined>): { config: Config; warnings: string[] } {
  const { values, problems } = readVariables(env, KNOWN);
  for (const [name, reason] of Object.entries(UNSUPPORTED)) {
    if (values[name] !== undefined) problems.push(`${name}: ${reason}`);
  }
  const parsed = settingsSchema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) problems.push(`${String(issue.path[0])}: ${issue.message}`);
  const config = parsed.success ? toConfig(parsed.data) : null;
  if (config !== null) problems.push(...openDoor(config));
  if (config === null || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return { config, warnings: unknownNames(env) };
}

function toConfig(settings: Settings): Config {
  return {
    host: settings.HOLDFAST_HOST,
    port: settings.HOLDFAST_PORT,
    opsPort: settings.HOLDFAST_OPS_PORT,
    dataDir: resolve(PACKAGE_ROOT, settings.HOLDFAST_DATA_DIR),
    databaseUrl: settings.DATABASE_URL ?? null,
    roles: new Set(settings.HOLDFAST_ROLES),
    handlers: settings.HOLDFAST_HANDLERS ?? null,
    queues: settings.HOLDFAST_QUEUES ?? null,
    concurrency: settings.HOLDFAST_CONCURRENCY,
    shutdownSeconds: settings.HOLDFAST_SHUTDOWN_SECONDS,
    pollMs: settings.HOLDFAST_POLL_MS,
    sweepMs: settings.HOLDFAST_SWEEP_MS,
    adminKey: settings.HOLDFAST_ADMIN_KEY ?? null,
    logLevel: settings.HOLDFAST_LOG_LEVEL,
    schema: settings.HOLDFAST_SCHEMA,
    streamPrefix: settings.HOLDFAST_STREAM_PREFIX,
    keyWindowSeconds: settings.HOLDFAST_KEY_WINDOW_SECONDS,
    httpAllow: settings.HOLDFAST_HTTP_ALLOW,
    url: settings.HOLDFAST_URL ?? `http://127.0.0.1:${settings.HOLDFAST_PORT}`,
    apiKey: settings.HOLDFAST_API_KEY ?? null,
  };
}

/** Whether only this machine can connect to a server that binds to `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function openDoor({ roles, host, adminKey }: Config): string[] {
  if (!roles.has('api') || adminKey !== null || isLoopback(host)) return [];
  return ['HOLDFAST_HOST: to be reached from other machines, the API needs a key; set HOLDFAST_ADMIN_KEY'];
}

function unknownNames(env: Record<string, string | undefined>): string[] {
  const known = new Set(KNOWN.flatMap((name) => [name, `${name}_FILE`]));
  const unknown = Object.keys(env).filter((name) => name.startsWith('HOLDFAST_') && !known.has(name));
  return unknown.map((name) => {
    const closest = closestName(name, [...known]);
    return `${name} is not known${closest ? `; did you mean ${closest}?` : ''}`;
  });
}
