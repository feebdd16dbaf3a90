import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { migrate } from '#runtime/postgres/migrate';
import { TEMPLATE_DATABASE, urlOfDatabase } from './database-url.ts';

// Its own process, see global-setup.ts: starts the server, prints its URL, and takes it down when stdin ends.
const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
// The server runs as another user when the tests run as root.
chmodSync(dataDir, 0o755);
try {
  const settings = { max_connections: '200', log_min_messages: 'fatal' };
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, settings });
  try {
    await createTemplate(postgres.connectionString);
    console.log(postgres.connectionString);
    process.stdin.resume();
    await once(process.stdin, 'close');
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

async function createTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrate({ connectionString: urlOfDatabase(url, TEMPLATE_DATABASE), schema: 'holdfast' });
}
