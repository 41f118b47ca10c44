/** Takes a file out of what has brought it, such as a mail, in a child process. */
import { Readable } from 'node:stream';
import type { ExtractionRequest } from '../../channels/fetching.ts';
import type { FetchResult } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { readInChild } from '../../platform/work/media/reading.ts';
import { openTemporaryFile, readPieces, writeStream } from '../../platform/store/temporary-file.ts';

/** As for translating, and the time in which a child process gets this CPU time on a busy machine. */
const CPU_MS = 8_000;
const PATIENCE_MS = 120_000;

interface PackedFile {
  company: string;
  channel: string;
  /** How the channel's `extractFile` knows the file. */
  file: string;
}

/** Answers as `fetchFile` of a channel does. Throws UNAVAILABLE when no child process is free. */
export async function takeOut(
  kit: Kit,
  { company, channel, file }: PackedFile,
  whole: { body: Readable; maxBytes: number },
  signal: AbortSignal,
): Promise<FetchResult> {
  const handle = await openTemporaryFile();
  try {
    const { bytes } = await writeStream(handle, whole.body, { maxBytes: whole.maxBytes });
    const source = { bytes, read: (start: number, end: number) => readPieces(handle, start, end) };
    const request: ExtractionRequest = { takeFrom: channel, bytes, file };
    const work = { request, cpuMs: CPU_MS, patienceMs: PATIENCE_MS, isAwaited: false };
    const content = await readInChild<Uint8Array | null>(kit.readers, { owner: company, source, signal }, work);
    if (!content) return { outcome: 'gone', reason: 'The file is missing from its message.' };
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
