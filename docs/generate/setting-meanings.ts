import type { Settings } from '#runtime/settings';

/** What each variable does. Its default and its limits are in runtime/settings.ts. */
export const SETTING_MEANINGS: Readonly<Record<keyof Settings, string>> = {
  HOLDFAST_HOST: 'Address the API listens on. Anything but a loopback address needs `HOLDFAST_ADMIN_KEY`.',
  HOLDFAST_PORT: 'Port of the API; 0 takes any free one.',
  HOLDFAST_OPS_PORT: 'Port of `/healthz`, `/readyz` and `/metrics` in a process without the API.',
  HOLDFAST_DATA_DIR: 'Where the embedded PostgreSQL keeps its data; relative to the package.',
  DATABASE_URL: 'PostgreSQL 15 or later, instead of the embedded one. Migrate it with `holdfast migrate`.',
  HOLDFAST_ROLES: 'What this process does.',
  HOLDFAST_HANDLERS: 'Module whose exports are `defineJob` results. See [handlers.md](handlers.md).',
  HOLDFAST_QUEUES: 'Queues the worker takes jobs from; unset: all.',
  HOLDFAST_CONCURRENCY: 'How many jobs the worker runs at once.',
  HOLDFAST_SHUTDOWN_SECONDS: 'How long running jobs may go on after SIGTERM before they are handed back.',
  HOLDFAST_POLL_MS: 'How late a reader or worker is at most when every wake-up is lost.',
  HOLDFAST_SWEEP_MS: 'How often leases that are over are looked for.',
  HOLDFAST_ADMIN_KEY: 'A key with every right. Once it is set, every call but health needs a key.',
  HOLDFAST_LOG_LEVEL: 'Least severe level that is logged to stderr.',
  HOLDFAST_SCHEMA: 'PostgreSQL schema that holds all tables; never `public`.',
  HOLDFAST_STREAM_PREFIX: 'Put before the name of every stream.',
  HOLDFAST_KEY_WINDOW_SECONDS: 'How long after its end a job keeps its idempotency key.',
  HOLDFAST_HTTP_ALLOW: 'Hosts in private networks that `http` jobs may call.',
  HOLDFAST_URL: 'The server the command line speaks to; default: the port of `HOLDFAST_PORT` on this machine.',
  HOLDFAST_API_KEY: 'The key the command line shows it.',
};
