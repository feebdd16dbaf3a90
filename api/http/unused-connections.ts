import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections that never carried a request, as browsers and connection pools open them ahead of need. Node counts them as
 * busy, so a server that closes would wait for them for ever.
 * @returns What ends them; called when the server closes.
 */
export function watchUnusedConnections(server: Server): () => void {
  const open = new Set<Socket>();
  let closing = false;
  server.on('connection', (socket) => {
    if (closing) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    closing = true;
    for (const socket of open) {
      if (socket.bytesRead === 0) socket.destroy();
    }
  };
}
