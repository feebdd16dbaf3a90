import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openRig } from './rig.ts';

test('the server closes although a client holds a connection it never used', async () => {
  const rig = await openRig();
  const { port } = new URL(rig.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  // An answered call on another connection tells that the server has taken the first one in.
  await rig.expectStatus(200, 'GET', '/healthz');
  const ended = once(socket, 'close');
  await rig.close();
  await ended;
  expect(socket.destroyed).toBe(true);
});
