import { openPostgresLog } from '#log/postgres/store';
import { createLogger } from '#runtime/logger';
import { openPool } from '#runtime/postgres/pool';
import { anAppend, anEvent } from './events.ts';

// A process that appends to one stream until it is killed. Its first event waits at the gate when it is told so.
const [connectionString = '', stream = '', gate] = process.argv.slice(2);
const pool = openPool({ connectionString, schema: 'holdfast', max: 4, name: 'append-loop' });
const log = await openPostgresLog({
  pool,
  logger: createLogger({ level: 'silent', name: 'append-loop' }),
  pollMs: 1000,
});
for (let version = -1; ; version += 1) {
  const data = gate === undefined ? {} : { gate: 'passes' };
  await log.append([anAppend(stream, version, [anEvent({ data })])]);
}
