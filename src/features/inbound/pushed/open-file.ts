/** Opens a file of a message that was pushed, out of the item that brought it. */
import { Readable } from 'node:stream';
import type { ExtractionRequest } from '../../../channels/fetching.ts';
import type { FetchResult } from '../../../channels/content.ts';
import type { Kit } from '../../../kit.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { readInChild } from '../../../platform/work/media/reading.ts';
import { openTemporaryFile, readPieces, writeStream } from '../../../platform/store/temporary-file.ts';
import { makeItemKey } from './reference.ts';

/** As for translating, and the time in which a child process gets this CPU time on a busy machine. */
const CPU_MS = 8_000;
const PATIENCE_MS = 120_000;

interface PushedFile {
  company: string;
  channel: string;
  item: string;
  file: string;
}

/** Answers as `fetchFile` of a channel does. Throws UNAVAILABLE when no child process is free. */
export async function openPushedFile(
  kit: Kit,
  { company, channel, item, file }: PushedFile,
  signal: AbortSignal,
): Promise<FetchResult> {
  const key = makeItemKey(company, item);
  const whole = await kit.files.get(key);
  if (!whole)
    return { outcome: 'gone', reason: 'The mail is not kept any more, or the company stored as much as it may.' };
  const handle = await openTemporaryFile();
  try {
    const { bytes } = await writeStream(handle, whole.body, { maxBytes: whole.bytes });
    const source = { bytes, read: (start: number, end: number) => readPieces(handle, start, end) };
    const request: ExtractionRequest = { takeFrom: channel, bytes, file };
    const work = { request, cpuMs: CPU_MS, patienceMs: PATIENCE_MS, isAwaited: false };
    const content = await readInChild<Uint8Array | null>(kit.readers, { owner: company, source, signal }, work);
    if (!content) return { outcome: 'gone', reason: 'The file is not in what brought it.' };
    const body = Readable.from([Buffer.from(content)], { objectMode: false });
    return { outcome: 'found', body, mimeType: null, bytes: null, sha256: null };
  } catch (error) {
    // Failure policy: a file that takes too much time or memory does so at each further try.
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') throw error;
    return { outcome: 'gone', reason: error.message };
  } finally {
    whole.body.destroy();
    await handle.close();
  }
}
