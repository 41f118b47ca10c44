/**
 * Lets the HTTP servers of a test process keep idle connections. While a test computes, the time-out of an idle connection passes; the next
 * request, which may already be on its way, would meet a closed connection. Loaded before each test file.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';

const KEEP_ALIVE_MS = 600_000;
/** Node's own time-out, for a connection that no further request can use: a closed server would wait for it. */
const USELESS_MS = 5_000;

subscribe('http.server.request.start', (message) => {
  (message as { server: Server }).server.keepAliveTimeout = KEEP_ALIVE_MS;
});

subscribe('http.server.response.finish', (message) => {
  const { request, server } = message as { request: IncomingMessage; server: Server };
  if (!request.complete || !server.listening) server.keepAliveTimeout = USELESS_MS;
});
