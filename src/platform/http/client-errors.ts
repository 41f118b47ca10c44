/** Answers requests that Node's HTTP parser refuses, in the same format as all other errors. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { AppError } from '../values/errors.ts';
import { toProblem } from './problem.ts';

export function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  const code = status.startsWith('431')
    ? 'HEADERS_TOO_LARGE'
    : status.startsWith('408')
      ? 'REQUEST_TIMEOUT'
      : 'MALFORMED_BODY';
  const id = randomUUID();
  const body = JSON.stringify(toProblem(new AppError(code), id));
  const head = [
    `HTTP/1.1 ${status}`,
    `x-request-id: ${id}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
