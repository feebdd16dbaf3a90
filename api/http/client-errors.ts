import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiProblem, PROBLEM_MEDIA_TYPE, problemBody } from '../problems/problem.ts';

/** What Node's HTTP parser refused before there was a request, answered in the same form as everything else. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem = parserProblem(error.code);
  const id = randomUUID();
  const body = JSON.stringify(problemBody(problem, { url: '', id }));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** HTTP has statuses of its own for headers that are too large and requests that come too slowly. */
function parserProblem(code: string | undefined): ApiProblem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiProblem('invalid-request', 'The headers are larger than 16 KiB.', { status: 431 });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiProblem('invalid-request', 'The request did not arrive in time.', { status: 408 });
    default:
      return new ApiProblem('invalid-request', 'The request is not valid HTTP.');
  }
}
