/** Reads server-sent events (WHATWG HTML, section 9.2), and connects again behind the last event when the connection is lost. */
import { findPauseMs, isConnectionError, pause, readRetryAfterMs } from './attempts.ts';
import { readError } from './errors.ts';
import type { ClientOptions, StreamOptions } from './operation.ts';
import { makeAttempt, type PreparedRequest } from './request.ts';

export interface StreamedEvent {
  event: string;
  /** The id with which the stream goes on behind this event. */
  id: string;
  data: unknown;
}

/** What the stream remembers from one connection to the next. */
interface Place {
  lastEventId: string;
  /** The pause before the next connection, as the server wants it. */
  retryMs: number | undefined;
  /** How many connections in a row could not be made. */
  failures: number;
}

/** Four times the interval at which the platform sends something even when nothing happens. */
const IDLE_MS = 60_000;

/**
 * Iterates over the events until the caller leaves the loop or ends the signal. Throws a ParleyError when the platform refuses the request.
 * A platform that cannot be reached, or asks to wait, is tried again for ever.
 */
export async function* openStream(client: ClientOptions, request: PreparedRequest): AsyncGenerator<StreamedEvent> {
  const { signal, lastEventId = '', onConnection, onPause }: StreamOptions = request.options;
  const place: Place = { lastEventId, retryMs: undefined, failures: 0 };
  for (;;) {
    let isConnected = false;
    const open = (): void => {
      isConnected = true;
      place.failures = 0;
      onConnection?.(true);
    };
    let retryAfterMs: number | undefined;
    try {
      retryAfterMs = yield* readConnection(client, request, place, open);
    } finally {
      if (isConnected) onConnection?.(false);
    }
    place.failures += 1;
    const pauseMs = findPauseMs(place.failures, retryAfterMs ?? place.retryMs);
    onPause?.(pauseMs);
    await pause(pauseMs, signal);
  }
}

/** Yields the events of one connection. Returns when it ends or cannot be made, with the time to wait if the platform names one. */
async function* readConnection(
  client: ClientOptions,
  request: PreparedRequest,
  place: Place,
  onOpen: () => void,
): AsyncGenerator<StreamedEvent, number | undefined> {
  const { signal, idleMs = IDLE_MS }: StreamOptions = request.options;
  const idle = startIdleTimer(idleMs);
  const end = new AbortController();
  const position = place.lastEventId ? { 'last-event-id': place.lastEventId } : {};
  const headers = { ...request.headers, accept: 'text/event-stream', ...position };
  try {
    const signals = [end.signal, idle.signal, ...(signal ? [signal] : [])];
    const sent = await makeAttempt(client, { ...request, headers }, AbortSignal.any(signals));
    const response = await (client.fetch ?? fetch)(sent);
    if (response.status === 429 || response.status >= 500) return readRetryAfterMs(response.headers.get('retry-after'));
    if (!response.ok || !response.body) throw await readError(response, place.failures + 1);
    onOpen();
    yield* readEvents(response.body, place, idle.restart);
  } catch (cause) {
    signal?.throwIfAborted();
    // Failure policy: a connection that fails, breaks or stays silent is made again; any other error is thrown as it is.
    if (!idle.signal.aborted && !isConnectionError(cause)) throw cause;
  } finally {
    idle.stop();
    // The caller may have left the loop while the connection is open.
    end.abort();
  }
  return undefined;
}

function startIdleTimer(idleMs: number): { signal: AbortSignal; restart(): void; stop(): void } {
  const controller = new AbortController();
  const start = () => setTimeout(() => controller.abort(new Error('Nothing arrived for too long')), idleMs);
  let timer = start();
  return {
    signal: controller.signal,
    restart: () => {
      clearTimeout(timer);
      timer = start();
    },
    stop: () => clearTimeout(timer),
  };
}

/** Yields complete events. The id of an event counts once its empty line has come, so that an event which was cut off is asked for again. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  place: Place,
  onBytes: () => void,
): AsyncGenerator<StreamedEvent> {
  let event = '';
  let id = place.lastEventId;
  let data: string[] = [];
  for await (const line of readLines(body, onBytes)) {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) place.retryMs = Number(value);
    else if (line === '') {
      place.lastEventId = id;
      if (data.length > 0) yield { event: event || 'message', id, data: JSON.parse(data.join('\n')) as unknown };
      event = '';
      data = [];
    }
  }
}

/** Yields the lines, which end in CR LF, LF or CR. A line that the connection cuts off is dropped, as the standard says. */
async function* readLines(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      // A CR at the end may be the first half of a CR LF.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    reader.releaseLock();
  }
}
