import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  /** The database's URL, through this proxy. */
  readonly url: string;
  readonly port: number;
  /** The connections open now stay open and carry nothing any more; new ones work. */
  freeze(): void;
  /** Ends every connection and takes no new ones. */
  close(): Promise<void>;
}

/** A TCP proxy on the way to a database, for what happens to networks. */
export async function openProxy(databaseUrl: string, port = 0): Promise<Proxy> {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(target);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        for (const each of pair) each.destroy();
        pairs.delete(pair);
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const bound = (server.address() as AddressInfo).port;
  url.port = String(bound);
  return {
    url: url.href,
    port: bound,
    freeze() {
      for (const socket of [...pairs].flat()) socket.unpipe().pause();
    },
    async close() {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
