import type { ServerResponse } from 'node:http';

/** The open streams, each with the topic that it follows. */
export type Listeners = Map<ServerResponse, string>;

type Topic = 'messages' | 'deliveries';

// The number of unread bytes at which a page is disconnected. The page connects again and loads what it missed.
const MAX_BUFFERED_BYTES = 1_048_576;
const HEARTBEAT_MS = 15_000;

/** Keeps the response open as a stream of server-sent events about one topic. */
export function openStream(listeners: Listeners, res: ServerResponse, topic: string): void {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=UTF-8', 'cache-control': 'no-store' });
  res.write('retry: 1000\n\n');
  listeners.set(res, topic);
  const heartbeat = setInterval(() => res.write(':\n\n'), HEARTBEAT_MS);
  res.on('close', () => {
    clearInterval(heartbeat);
    listeners.delete(res);
  });
}

/** Sends an event to every page that follows the topic. */
export function publish(listeners: Listeners, topic: Topic, event: string, data: object): void {
  if (listeners.size === 0) return;
  const chunk = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  for (const [res, wanted] of listeners) {
    if (wanted !== topic) continue;
    if (res.writableLength > MAX_BUFFERED_BYTES) res.destroy();
    else res.write(chunk);
  }
}
