import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  /** The same database, through the proxy. */
  readonly connectionString: string;
  /** Breaks the connection that gets the next answer, instead of handing the answer on. Resolves when it has. */
  cutNextAnswer(): Promise<void>;
  close(): Promise<void>;
}

/** Stands before a database and loses an answer when told to: what was asked is done, and the client does not learn of it. */
export async function startCuttingProxy(connectionString: string): Promise<CuttingProxy> {
  const url = new URL(connectionString);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  let cut: (() => void) | null = null;
  const server = createServer((client) => {
    const database = connect(target);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (data) => database.write(data));
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
    database.on('data', (data) => {
      if (cut === null) {
        client.write(data);
        return;
      }
      cut();
      cut = null;
      client.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    connectionString: url.href,
    cutNextAnswer: () =>
      new Promise((resolve) => {
        cut = resolve;
      }),
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
