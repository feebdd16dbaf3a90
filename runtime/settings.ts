import { z } from 'zod';
import { LOG_LEVELS } from './logger.ts';

export const ROLES = ['api', 'projector', 'worker', 'scheduler', 'relay'] as const;
export type Role = (typeof ROLES)[number];

/** A queue as clients may name it. */
const QUEUE = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * Every environment variable that this version can act on, with its default, its limits and its description. Messages
 * say what is expected and never repeat the value.
 */
export const settingsSchema = z.object({
  HOLDFAST_HOST: z.string().default('127.0.0.1').describe('address the API binds to'),
  HOLDFAST_PORT: wholeNumber(0, 65_535).default(8080).describe('port of the API; 0 takes any free one'),
  HOLDFAST_OPS_PORT: wholeNumber(0, 65_535)
    .default(9101)
    .describe('port for health and metrics of a process without the API'),
  HOLDFAST_DATA_DIR: z
    .string()
    .default('.holdfast')
    .describe('data of the embedded PostgreSQL; relative to the package'),
  DATABASE_URL: urlOf('postgres:', 'postgresql:')
    .optional()
    .describe('PostgreSQL 15 or later; without it the embedded one is used'),
  HOLDFAST_ROLES: listOf(z.enum(ROLES, `must be a list of ${ROLES.join(', ')}`))
    .default(['api', 'projector', 'worker', 'scheduler'])
    .describe('what this process does'),
  HOLDFAST_HANDLERS: z.string().optional().describe('module whose exports are job definitions'),
  HOLDFAST_QUEUES: listOf(z.string().regex(QUEUE, `must be a list of queue names (${QUEUE.source})`))
    .optional()
    .describe('queues this worker serves; without it all'),
  HOLDFAST_CONCURRENCY: wholeNumber(1, 1_000).default(10).describe('jobs a worker runs at once'),
  HOLDFAST_SHUTDOWN_SECONDS: wholeNumber(0, 3_600)
    .default(25)
    .describe('how long running jobs may take to end after SIGTERM'),
  HOLDFAST_POLL_MS: wholeNumber(10, 60_000).default(1_000).describe('what losing every wake-up may cost'),
  HOLDFAST_SWEEP_MS: wholeNumber(10, 60_000).default(1_000).describe('how often leases that have ended are looked for'),
  HOLDFAST_ADMIN_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible ASCII characters')
    .optional()
    .describe('bootstrap key with every scope'),
  HOLDFAST_LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('least level that is logged'),
  HOLDFAST_SCHEMA: z
    .string()
    .refine(isOwnSchema, 'must be 1 to 63 bytes long, and neither "public" nor begin with "pg_"')
    .default('holdfast')
    .describe('PostgreSQL schema of all tables'),
  HOLDFAST_STREAM_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . or -')
    .default('')
    .describe('prefix of every stream of the log'),
  HOLDFAST_KEY_WINDOW_SECONDS: wholeNumber(0, 315_360_000)
    .default(86_400)
    .describe('how long an idempotency key is kept after its job has ended'),
  HOLDFAST_HTTP_ALLOW: listOf(z.string()).default([]).describe('hosts in private networks that http jobs may call'),
  HOLDFAST_URL: urlOf('http:', 'https:')
    .optional()
    .describe('server that the command line speaks to; without it the port of HOLDFAST_PORT'),
  HOLDFAST_API_KEY: z.string().optional().describe('key that the command line sends'),
});

export type Settings = z.output<typeof settingsSchema>;

/** Variables that are reserved for features this version lacks. Obeying them halfway would be worse than refusing to start. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  EVENTSTORE_URL: 'this version keeps its log in PostgreSQL only',
  KAFKA_BROKERS: 'this version does not speak to Kafka',
  HOLDFAST_DELIVERY: 'this version has no delivery through Kafka',
  HOLDFAST_KAFKA_PREFIX: 'this version does not speak to Kafka',
  HOLDFAST_RATE_LIMIT: 'this version has no rate limits',
  HOLDFAST_CORS_ORIGINS: 'this version answers no requests of other origins',
  HOLDFAST_TLS_CERT: 'this version does not speak TLS; put a proxy before it',
  HOLDFAST_TLS_KEY: 'this version does not speak TLS; put a proxy before it',
};

function wholeNumber(from: number, to: number) {
  const isInside = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to;
  return z.string().refine(isInside, `must be a whole number from ${from} to ${to}`).transform(Number);
}

function listOf<T extends z.ZodType<unknown, string>>(item: T) {
  const split = (text: string) => text.split(',').map((part) => part.trim());
  return z.string().transform(split).pipe(z.array(item));
}

function urlOf(...protocols: string[]) {
  const isOurs = (text: string) => URL.canParse(text) && protocols.includes(new URL(text).protocol);
  return z
    .string()
    .refine(isOurs, `must be a URL that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`);
}

function isOwnSchema(name: string): boolean {
  return Buffer.byteLength(name) <= 63 && name !== 'public' && !name.startsWith('pg_') && !name.includes('\0');
}
