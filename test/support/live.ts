/** A client of the live stream: it keeps what arrives, as a page would. */
import assert from 'node:assert/strict';
import { waitUntil } from './wait.ts';
import type { Json } from './platform.ts';

const MOST_SAID = 2_000;

export interface LiveEvent {
  event: string;
  data: Json;
}

export interface LiveClient {
  events: LiveEvent[];
  /** The last cursor that arrived. */
  cursor(): string;
  isClosed(): boolean;
  /** Waits until an event has arrived that matches, and returns its data. */
  waitFor(event: string, match?: (data: Json) => boolean): Promise<Json>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** The address of a platform, and the company whose key is used by default. */
interface LiveTarget {
  url: string;
  demo: { key: string };
}

export interface LiveOptions {
  key?: string;
  after?: string;
  headers?: Record<string, string>;
  /** The address of another process. */
  url?: string;
  /** The path of another stream. */
  path?: string;
}

/** Opens a stream and waits until it is ready. */
export async function openLive(platform: LiveTarget, options: LiveOptions = {}): Promise<LiveClient> {
  const client = await connectLive(platform, options);
  await client.waitFor('ready');
  return client;
}

/** Opens a stream, which may end before it is ready. */
export async function connectLive(
  platform: LiveTarget,
  { key = platform.demo.key, after, headers, url, path = '/v1/live' }: LiveOptions,
) {
  const hangUp = new AbortController();
  const address = new URL(path, url ?? platform.url);
  if (after !== undefined) address.searchParams.set('after', after);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: hangUp.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events: LiveEvent[] = [];
  let cursor = after ?? '';
  let isClosed = false;

  async function read(): Promise<void> {
    let text = '';
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/, 2))));
    }
  }

  function take({ event, id, data }: Record<string, string>): void {
    if (event !== undefined) events.push({ event, data: JSON.parse(data ?? '') });
    cursor = id ?? cursor;
  }

  // Closing the connection makes the reading fail.
  const reading = read()
    .catch(() => undefined)
    .finally(() => (isClosed = true));
  return {
    events,
    cursor: () => cursor,
    isClosed: () => isClosed,
    waitFor: async (event: string, match = (_data: Json): boolean => true) => {
      const look = (): LiveEvent | undefined => events.find((each) => each.event === event && match(each.data));
      // A busy platform may have noted no change for a moment: then it sends `reset`, and a page reads its lists again.
      const shown = (): string => JSON.stringify(events.slice(-3)).slice(0, MOST_SAID);
      const found = await waitUntil(
        () => `the event ${event} after ${shown()}`,
        () => look() ?? isClosed,
      );
      assert.ok(found !== true, `the stream ended before the event ${event}`);
      return found.data;
    },
    close: async () => {
      hangUp.abort();
      await reading;
    },
  };
}
