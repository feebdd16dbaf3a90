import { type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'adminKey',
  'apiKey',
  'connectionString',
  'databaseUrl',
];
const STDERR = 2;

/**
 * Logs to stderr, so that stdout carries nothing but what was asked for (the ready line, a command's answer). JSON
 * lines, except on a terminal. Fields that hold secrets are blanked at the top and one or two levels down.
 */
export function createLogger({ level, name }: { level: LogLevel; name: string }): Logger {
  const options = {
    level,
    name,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[redacted]',
    },
    serializers: { err: serializeError },
  };
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: STDERR, sync: true }));
  return pino(
    options,
    pretty({ destination: STDERR, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
  );
}

/** Error texts of drivers may quote the URL they were given. */
function serializeError(error: Error): object {
  const plain = stdSerializers.err(error);
  return { ...plain, message: withoutPassword(plain.message), stack: withoutPassword(plain.stack) };
}

function withoutPassword(text: string): string {
  return text.replaceAll(/(\/\/[^:/@\s]*):[^@\s]*@/g, '$1:***@');
}
