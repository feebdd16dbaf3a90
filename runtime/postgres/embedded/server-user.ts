import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** Whom the server runs as. PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

/**
 * The user for a cluster, or for one yet to be made (`null`). As root that is the cluster's owner or `nobody`; otherwise
 * the answer is `null`: the server runs as who started it.
 * @throws when the cluster belongs to somebody else, whose files this process could not even read.
 */
export function serverUser(cluster: string | null): ServerUser | null {
  const uid = process.getuid?.();
  const owner = cluster === null ? null : statSync(cluster);
  if (uid === 0) return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : NOBODY;
  if (owner !== null && uid !== undefined && owner.uid !== uid) {
    throw new Error(
      `${cluster} belongs to another user (uid ${owner.uid}); set HOLDFAST_DATA_DIR to a directory of your own`,
    );
  }
  return null;
}

/** Whether that user can pass through all folders above a file or directory and enter or run it. */
export function canReach(path: string, user: ServerUser | null): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { cwd: '/', stdio: 'ignore', ...user }).status === 0;
}
