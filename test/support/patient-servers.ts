/**
 * Lets the HTTP servers of a test process keep idle connections. While a test computes, the time-out of an idle connection passes; the next
 * request, which may already be on its way, would meet a closed connection. Loaded before each test file.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';

const KEEP_ALIVE_MS = 600_000;

subscribe('http.server.request.start', (message) => {
  (message as { server: Server }).server.keepAliveTimeout = KEEP_ALIVE_MS;
});
