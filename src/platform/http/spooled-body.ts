/** Takes a body of one large part, such as a mail, onto the disk while it arrives. */
import { PassThrough, pipeline } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { ByteSource } from '../store/byte-source.ts';
import { AppError } from '../values/errors.ts';
import { openTemporaryFile, readPieces, TooManyBytes, writeStream } from '../store/temporary-file.ts';

export interface SpooledBody extends ByteSource {
  /** Removes the body from the disk. */
  close(): Promise<void>;
}

/** Throws BODY_TOO_LARGE, MALFORMED_BODY for a body that is cut off, and REQUEST_TIMEOUT for one that arrives too slowly. */
export async function spoolBody(
  request: FastifyRequest,
  { maxBytes, owner }: { maxBytes: number; owner: string },
): Promise<SpooledBody> {
  if (Number(request.headers['content-length']) > maxBytes) throw new AppError('BODY_TOO_LARGE');
  const { bodies } = request.server;
  const handle = await openTemporaryFile();
  const followed = bodies.follow(request);
  try {
    const onPiece = (bytes: number): Promise<void> => bodies.keepPace(owner, bytes);
    // A pipeline also ends when the client goes away.
    const arriving = pipeline(request.raw, new PassThrough(), () => undefined);
    const writing = writeStream(handle, arriving as AsyncIterable<Buffer>, { maxBytes, onPiece });
    const { bytes } = await Promise.race([writing, followed.failed]);
    return { bytes, read: (start, end) => readPieces(handle, start, end), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw explainBreak(error);
  } finally {
    followed.end();
  }
}

/** Failure policy: a full disk is answered as such, and what else can happen to a stream is that its client ends it. */
function explainBreak(error: unknown): unknown {
  if (error instanceof TooManyBytes) return new AppError('BODY_TOO_LARGE');
  if (error instanceof AppError) return error;
  const { code = '' } = error as { code?: string };
  if (code.startsWith('ERR_STREAM')) return new AppError('MALFORMED_BODY', 'The request was cut off');
  if (['ENOSPC', 'EDQUOT', 'EMFILE'].includes(code))
    return new AppError('UNAVAILABLE', 'The body cannot be stored right now', [], { 'retry-after': '5' });
  return error;
}
