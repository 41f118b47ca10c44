/**
 * What a company is answered, by its bytes: a page of large records costs a hundred times what its share of requests supposes. Whoever is
 * far ahead of the pace is refused for a moment, and what is streamed goes no faster.
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './errors.ts';
import { createPace } from './pace.ts';

export interface AnswerPace {
  /** Throws RATE_LIMITED while the company is too far ahead. */
  admit(company: string): void;
  /** Counts an answer on its way out. `isWritten`: what it says was stored with the request. */
  pass(company: string, payload: unknown, isWritten: boolean): unknown;
}

const MEGABYTE = 1024 * 1024;
// What was written is indexed, logged and told as well.
const WRITTEN_WEIGHT = 4;
// By default the largest answer at once, and the next one when it is paid for.
const AHEAD_MS = 2_000;
// A stream waits as soon as it is ahead by more than one of its pieces.
const STREAM_AHEAD_MS = 50;

export function createAnswerPace(megabytesPerSecond: number): AnswerPace {
  const pace = createPace(megabytesPerSecond * MEGABYTE);

  async function* inPace(company: string, stream: Readable): AsyncGenerator<Buffer | string> {
    for await (const piece of stream as AsyncIterable<Buffer | string>) {
      yield piece;
      const aheadMs = pace.count(company, Buffer.byteLength(piece));
      if (aheadMs > STREAM_AHEAD_MS) await sleep(aheadMs);
    }
  }

  return {
    admit: (company) => {
      const aheadMs = pace.count(company, 0);
      if (aheadMs <= AHEAD_MS) return;
      const seconds = String(Math.ceil((aheadMs - AHEAD_MS) / 1_000));
      throw new AppError('RATE_LIMITED', 'The answers of the company are too large together', [], {
        'retry-after': seconds,
      });
    },
    pass: (company, payload, isWritten) => {
      if (payload instanceof Readable) return Readable.from(inPace(company, payload), { highWaterMark: 1 });
      const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
      pace.count(company, bytes * (isWritten ? WRITTEN_WEIGHT : 1));
      return payload;
    },
  };
}
