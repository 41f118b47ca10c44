/** The stream of one client, as server-sent events (HTML Living Standard, 9.2). */
import { Readable } from 'node:stream';
import { exemptFromPace } from '../../platform/http/answer-pace.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// A client that has fallen this far behind is disconnected; it comes back with its cursor.
const MAX_BEHIND_BYTES = declareLimit(4 * 1024 * 1024, {
  topic: 'Live',
  what: 'Stream: data that the client has not read',
  unit: 'bytes',
  beyond: 'disconnected',
});

export interface Stream {
  readable: Readable;
  /** Sends a text of complete events. Many streams may share one buffer. */
  send(text: Buffer): void;
  /** Resolves when the client has taken all that was sent, or when the stream has ended. */
  taken(): Promise<void>;
  /** Ends the stream after what was sent. */
  end(): void;
}

export function createStream(): Stream {
  const waiting: Buffer[] = [];
  let behindBytes = 0;
  let isEnded = false;
  let wake = (): void => undefined;
  let settle: (() => void)[] = [];

  const settleTaken = (): void => {
    for (const resolve of settle) resolve();
    settle = [];
  };

  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
          behindBytes -= piece.length;
          yield piece;
        }
        settleTaken();
        if (isEnded) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      isEnded = true;
      settleTaken();
    }
  }

  const end = (): void => {
    isEnded = true;
    wake();
  };

  return {
    readable: exemptFromPace(Readable.from(pieces(), { highWaterMark: 1 })),
    send: (text) => {
      if (isEnded || text.length === 0) return;
      behindBytes += text.length;
      if (behindBytes > MAX_BEHIND_BYTES) end();
      else waiting.push(text);
      wake();
    },
    taken: () => (isEnded || waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => settle.push(resolve))),
    end,
  };
}

/** Writes one event. `id` is the cursor from which a client goes on that has received the event. */
export const writeEvent = (event: string, data: object, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Writes a new cursor without an event, which also keeps the connection alive. */
export const writeCursor = (id: string): string => `id: ${id}\n\n`;
