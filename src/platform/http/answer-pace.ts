/**
 * Limits the bytes per second that a company receives in answers, because a page of large records costs a hundred times as much as an
 * average request. A company far above its rate is refused for a moment, and streamed answers are slowed down to the rate.
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../values/errors.ts';
import { createPace } from '../work/pace.ts';
import { declareSettingLimit } from '../values/limits.ts';

declareSettingLimit('RATE_LIMIT_ANSWERS', {
  topic: 'Requests',
  what: 'Responses to a company, per process',
  unit: 'megabytesPerSecond',
  beyond: '429',
});

export interface AnswerPace {
  /** Throws RATE_LIMITED while the company has received far more than its rate allows. */
  admit(company: string): void;
  /**
   * Counts an answer and returns the payload to send. `isWritten` is true when the request stored the data that the answer shows, which
   * costs more than reading it.
   */
  pass(company: string, payload: unknown, isWritten: boolean): unknown;
}

const MEGABYTE = 1024 * 1024;
// The factor for written answers: a stored record is also written to indexes, to the write-ahead log and to event bodies.
const WRITTEN_WEIGHT = 4;
// The time by which a company may be ahead of its rate: with the default rate it may receive the largest possible answer (8 MB) at once,
// and the next one after a pause.
const AHEAD_MS = 2_000;
// A streamed answer pauses once it is this far ahead of the rate, which is about one of its pieces.
const STREAM_AHEAD_MS = 50;

const endless = new WeakSet<Readable>();

/** Marks a stream without an end, which has limits of its own: its bytes do not count. Returns the stream. */
export function exemptFromPace(stream: Readable): Readable {
  endless.add(stream);
  return stream;
}

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
      throw new AppError('RATE_LIMITED', 'The company has reached its limit of response volume', [], {
        'retry-after': seconds,
      });
    },
    pass: (company, payload, isWritten) => {
      if (payload instanceof Readable && endless.has(payload)) return payload;
      if (payload instanceof Readable) {
        const paced = Readable.from(inPace(company, payload), { highWaterMark: 1 });
        // A caller may hang up before the first byte is read, and then nothing else ends the source.
        return paced.once('close', () => payload.destroy());
      }
      const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
      pace.count(company, bytes * (isWritten ? WRITTEN_WEIGHT : 1));
      return payload;
    },
  };
}
