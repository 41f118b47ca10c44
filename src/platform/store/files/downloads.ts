/** Shares out the files that a process sends: how many at once, and how many bytes a second, for each company separately. */
import type { Readable } from 'node:stream';
import { createAnswerPace } from '../../http/answer-pace.ts';
import { AppError } from '../../values/errors.ts';
import { createReplyPlaces, type AdmitReply } from '../../http/reply-places.ts';
import { createShares } from '../../work/shares.ts';

export interface Downloads {
  /** Counts a file that is being sent. Throws UNAVAILABLE when too many others are. */
  admit: AdmitReply;
  /** Slows a file down to the rate of its company. */
  inPace(company: string, body: Readable): Readable;
}

// A client that reads slowly keeps a connection and a file open. A page with many pictures loads six of them at once.
const MOST_OF_COMPANY = 64;
const PLACES = { all: 512, kept: 128, mostWaiting: 256 };
const WAIT_MS = 5_000;

export function createDownloads(megabytesPerSecond: number): Downloads {
  const pace = createAnswerPace(megabytesPerSecond);
  const refuseLate = (): AppError =>
    new AppError('UNAVAILABLE', 'Too many files are being sent already', [], { 'retry-after': '5' });
  return {
    admit: createReplyPlaces(createShares(MOST_OF_COMPANY, WAIT_MS, PLACES), refuseLate),
    inPace: (company, body) => pace.pass(company, body, false) as Readable,
  };
}
