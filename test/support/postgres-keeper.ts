import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { migrate } from '#runtime/postgres/migrate';
import { TEMPLATE_DATABASE, urlOfDatabase } from './database-url.ts';

// Its own process, see global-setup.ts: starts the server, says where it is, and takes it down when stdin ends.
const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
// The server runs as another user when the tests run as root.
chmodSync(folder, 0o755);
const scratch = join(folder, 'scratch');
mkdirSync(scratch);
try {
  const settings = { max_connections: '200', log_min_messages: 'fatal' };
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), durable: false, settings });
  try {
    await createTemplate(postgres.connectionString);
    console.log(JSON.stringify({ postgresUrl: postgres.connectionString, scratch }));
    process.stdin.resume();
    await once(process.stdin, 'close');
  } finally {
    await postgres.stop();
  }
} finally {
  endServers(scratch);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

async function createTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrate({ connectionString: urlOfDatabase(url, TEMPLATE_DATABASE), schema: 'holdfast' });
}

/** A test that was interrupted leaves its server on, since a server outlives who started it. */
function endServers(root: string): void {
  const files = readdirSync(root, { recursive: true }).map(String);
  for (const file of files.filter((name) => name.endsWith('postmaster.pid'))) {
    const [pid, cluster] = readFileSync(join(root, file), 'utf8').split('\n');
    if (!cluster?.startsWith(root)) continue;
    try {
      process.kill(Number(pid), 'SIGQUIT');
    } catch {
      // It ended on its own.
    }
  }
}
