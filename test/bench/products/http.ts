import { Agent, type IncomingMessage, request } from 'node:http';

export interface Answer<Body> {
  readonly body: Body;
  readonly headers: IncomingMessage['headers'];
}

export interface Http {
  post<Body>(path: string, body: unknown): Promise<Answer<Body>>;
  close(): void;
}

/** A client that keeps its connections. @throws on any status but 2xx. */
export function openHttp(baseUrl: string, connections: number): Http {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    post: <Body>(path: string, body: unknown) => send<Body>(new URL(path, baseUrl), agent, JSON.stringify(body)),
    close: () => agent.destroy(),
  };
}

function send<Body>(url: URL, agent: Agent, text: string): Promise<Answer<Body>> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<Body>>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const call = request(url, { agent, method: 'POST', headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const answer = Buffer.concat(chunks).toString();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300)
        resolve({ body: JSON.parse(answer) as Body, headers: response.headers });
      else reject(new Error(`${url.pathname} answered ${statusCode}: ${answer}`));
    });
  });
  call.on('error', reject);
  call.end(text);
  return promise;
}
