/**
 * Answers with a file that is streamed while it is read from the database, so that a large export takes no more memory than a small one.
 */
import { addAbortSignal, Readable, type PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { ZipFile } from 'yazl';
import { AppError } from '../values/errors.ts';
import { createReplyPlaces, type AdmitReply } from './reply-places.ts';
import { createShares } from '../work/shares.ts';
import { declareLimit } from '../values/limits.ts';

/** The answer schema of operations that return a ZIP. */
export const zipAnswer = (description: string) =>
  Type.Unsafe<Readable>({
    description,
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  });

/** The answer schema of operations that return a CSV file. */
export const CSV_ANSWER = Type.Unsafe<Readable>({
  description: 'UTF-8, separated by commas; the first row has the titles',
  content: { 'text/csv': { schema: { type: 'string' } } },
});

// The exports of a company read in turns. With more at once each would send nothing for so long that clients give up.
const MOST_EXPORTS = declareLimit(2, {
  topic: 'Records',
  what: 'Exports at the same time, per company and process',
  beyond: 'the next one waits',
});
// As long as a client waits without impatience for the beginning of a file.
const WAIT_MS = declareLimit(5_000, {
  topic: 'Records',
  what: 'Exports at the same time: wait for a turn',
  unit: 'ms',
  beyond: '429',
});
const RETRY_SECONDS = '5';

/** Counts an export of the company. Waits while two are running, and throws RATE_LIMITED in the end. */
export function createExportAdmission(waitMs = WAIT_MS): AdmitReply {
  const detail = `${MOST_EXPORTS} exports of the company are running already`;
  const refuseLate = (): AppError => new AppError('RATE_LIMITED', detail, [], { 'retry-after': RETRY_SECONDS });
  return createReplyPlaces(createShares(MOST_EXPORTS, waitMs), refuseLate);
}

/** Sends a CSV file. */
export const sendCsv = (reply: FastifyReply, name: string, portions: AsyncGenerator<string>): Readable =>
  sendFile(reply, { name, type: 'text/csv; charset=utf-8; header=present' }, portions);

/** A file of a ZIP. Its content is read when its turn comes. */
export interface ZipEntry {
  /** The path in the ZIP. */
  name: string;
  changedAt: Date;
  content: AsyncIterable<string | Uint8Array>;
  /** False for what is stored as it is: a large file would keep a thread busy, and most files are compressed already. */
  compress: boolean;
}

/** Sends a ZIP of files that are read one after the other. What sendFile says of portions holds for the files. */
export function sendZip(reply: FastifyReply, name: string, entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const out = zip.outputStream as PassThrough;
  const fail = (error: Error): void => void out.destroy(error);
  zip.on('error', fail);
  packEntries(zip, out, entries).catch(fail);
  reply.header('content-type', 'application/zip');
  reply.header('content-disposition', `attachment; filename="${name}"`);
  return out;
}

async function packEntries(zip: ZipFile, out: PassThrough, entries: AsyncIterable<ZipEntry>): Promise<void> {
  const hungUp = new AbortController();
  out.once('close', () => hungUp.abort());
  for await (const { name, changedAt, content, compress } of entries) {
    const source = addAbortSignal(hungUp.signal, Readable.from(content));
    zip.addReadStream(source, name, { mtime: changedAt, compress });
    await finished(source);
  }
  zip.end();
}

/**
 * Sends a file to be saved. `portions` yields texts of some hundred lines, each when the client is ready for it. When the client hangs up, no more
 * are read. When a portion fails, the connection is cut, so that the client notices that the file is incomplete.
 */
export function sendFile(
  reply: FastifyReply,
  { name, type }: { name: string; type: string },
  portions: AsyncGenerator<string>,
): Readable {
  reply.header('content-type', type);
  reply.header('content-disposition', `attachment; filename="${name}"`);
  return Readable.from(portions, { highWaterMark: 1 });
}
