/** Shares out the files that a process sends: how many at once, and how many bytes a second, for each company separately. */
import type { Readable } from 'node:stream';
import { createAnswerPace } from '../../http/answer-pace.ts';
import { AppError } from '../../values/errors.ts';
import { createReplyPlaces, type AdmitReply } from '../../http/reply-places.ts';
import { createShares } from '../../work/shares.ts';
import { declareLimit, declareSettingLimit } from '../../values/limits.ts';

declareSettingLimit('RATE_LIMIT_FILES', {
  topic: 'Files',
  what: 'Downloads through links, per company and process',
  unit: 'megabytesPerSecond',
  beyond: 'slowed down',
});

export interface Downloads {
  /** Counts a file that is being sent. Throws UNAVAILABLE when too many others are. */
  admit: AdmitReply;
  /** Slows a file down to the rate of its company. */
  inPace(company: string, body: Readable): Readable;
}

// A client that reads slowly keeps a connection and a file open. A page with many pictures loads six of them at once.
const MOST_OF_COMPANY = declareLimit(64, {
  topic: 'Files',
  what: 'Downloads at the same time, per company and process',
  beyond: 'the next one waits',
});
const PLACES = {
  all: declareLimit(512, {
    topic: 'Files',
    what: 'Downloads at the same time, per process',
    beyond: 'the next one waits',
  }),
  kept: 128,
  mostWaiting: 256,
};
const WAIT_MS = declareLimit(5_000, {
  topic: 'Files',
  what: 'Downloads at the same time: wait for a turn',
  unit: 'ms',
  beyond: '503',
});

export function createDownloads(megabytesPerSecond: number): Downloads {
  const pace = createAnswerPace(megabytesPerSecond);
  const refuseLate = (): AppError =>
    new AppError('UNAVAILABLE', 'Too many files are being sent already', [], { 'retry-after': '5' });
  return {
    admit: createReplyPlaces(createShares(MOST_OF_COMPANY, WAIT_MS, PLACES), refuseLate),
    inPace: (company, body) => pace.pass(company, body, false) as Readable,
  };
}
