import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PeerName } from './products/catalog.ts';

const FOLDER = fileURLToPath(new URL('./peers', import.meta.url));

/** Installs the peers, which the repository's own install leaves out. @throws when npm fails. */
export function installPeers(peers: readonly PeerName[]): void {
  if (peers.every((name) => existsSync(`${FOLDER}/node_modules/${name}/package.json`))) return;
  process.stderr.write('Installing the peers in test/bench/peers (once) ...\n');
  const { status } = spawnSync('npm', ['ci', '--no-progress'], { cwd: FOLDER, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('npm ci failed in test/bench/peers, see above; --peers none runs without them');
}
