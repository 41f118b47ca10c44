/** Streams the bodies of outgoing calls both ways, so that a file of any size passes through a little memory. */
import { Readable } from 'node:stream';
import {
  appendChunk,
  EMPTY,
  joinHeaders,
  makeTooLargeError,
  type AnswerFlow,
  type AnswerReading,
  type CreateReceiver,
} from './outbound-answer.ts';
import { OutboundError } from './outbound-error.ts';

/** A request's body that is read while it is sent. The stream is destroyed when the call ends, however it ends. */
export interface StreamedBody {
  stream: Readable;
  /** The exact length of the stream. */
  bytes: number;
}

/**
 * An answer whose body is read as a stream. Until the body has arrived completely, the signal of the call still limits it: the stream
 * fails with an OutboundError whose kind is TIMEOUT, TOO_LARGE or SOCKET. Destroying the stream closes the connection.
 */
export interface OutboundStream {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

type RequestBody = string | Buffer | StreamedBody | undefined;

export const isStreamed = (body: RequestBody): body is StreamedBody =>
  typeof body === 'object' && !Buffer.isBuffer(body);

/** Prepares for a stream that fails before anybody reads it: readStreamedBody() then finds the error, which would otherwise end the process. */
export function ignoreBodyErrors(body: RequestBody): void {
  if (isStreamed(body)) body.stream.on('error', () => undefined);
}

/** Destroys the stream of a body that is not needed any more. */
export function discardBody(body: RequestBody): void {
  if (isStreamed(body)) body.stream.destroy();
}

/** Bodies are handed on in pieces of this size, because they arrive in slices too small to be written or hashed one by one. */
const PIECE_BYTES = 65_536;

const makeBodyError = (message: string, cause?: unknown): OutboundError =>
  new OutboundError('BODY', true, `The body of the request ${message}.`, cause);

/** Reads the stream of a body. Throws a BODY error when the stream fails or has not exactly the announced length. */
export async function* readStreamedBody({ stream, bytes }: StreamedBody): AsyncGenerator<Buffer> {
  let read = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > bytes) throw makeBodyError(`has more than ${bytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    // Failure policy: the call fails, and its error says that the caller's own stream was the reason.
    throw error instanceof OutboundError ? error : makeBodyError('could not be read', error);
  }
  if (read < bytes) throw makeBodyError(`has ${read} bytes instead of ${bytes}`);
}

/** Settles the call as soon as the headers have arrived, and streams the body. */
export const streamAnswer: CreateReceiver<OutboundStream> = (maxBytes, resolve, reject) => {
  let answer: IncomingBody | null = null;
  return {
    start(status, headers, flow) {
      // Absent with a body of unknown length.
      const announced = Number(headers['content-length'] ?? Number.NaN);
      answer = openIncomingBody(maxBytes, announced, flow);
      resolve({ status, headers: joinHeaders(headers), body: answer.body });
      if (announced > maxBytes) flow.stop(makeTooLargeError(maxBytes));
    },
    data: (chunk) => answer?.write(chunk),
    end: (error) => (answer === null ? reject(error) : answer.end(error)),
  };
};

interface IncomingBody {
  body: Readable;
  write(chunk: Buffer): void;
  end(error: OutboundError | null): void;
}

function openIncomingBody(maxBytes: number, announced: number, flow: AnswerFlow): IncomingBody {
  let received = 0;
  let piece: AnswerReading = { body: EMPTY, length: 0 };
  let flushing: NodeJS.Immediate | null = null;
  const body = new Readable({
    highWaterMark: PIECE_BYTES,
    read: () => flow.resume(),
    destroy(error, done) {
      flow.stop(new OutboundError('SOCKET', true, 'The caller wanted no more of the answer.'));
      done(error);
    },
  });
  // Failure policy: a caller that has not begun to read finds the error when it does. Without a listener it would end the process.
  body.on('error', () => undefined);
  const flush = () => {
    if (flushing !== null) clearImmediate(flushing);
    flushing = null;
    if (piece.length === 0 || body.destroyed) return;
    const whole = piece.body.subarray(0, piece.length);
    piece = { body: EMPTY, length: 0 };
    if (!body.push(whole) && received !== announced) flow.pause();
  };
  return {
    body,
    write(chunk) {
      received += chunk.length;
      if (received > maxBytes) return flow.stop(makeTooLargeError(maxBytes));
      // A connection that is paused after the last byte would not notice that the answer is complete, and would fail when the peer closes
      // it.
      if (received === announced) flow.resume();
      appendChunk(piece, chunk);
      if (piece.length >= PIECE_BYTES) flush();
      // What a slow peer has sent is handed on without waiting for a whole piece.
      else flushing ??= setImmediate(flush);
    },
    end(error) {
      if (error !== null) return void body.destroy(error);
      flush();
      body.push(null);
    },
  };
}
