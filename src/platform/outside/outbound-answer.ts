/** Receives the answer to an outgoing call; here in one buffer of limited size, in outbound-stream.ts as a stream. */
import type { IncomingHttpHeaders } from 'node:http';
import { OutboundError } from './outbound-error.ts';

/** `body`: at most `maxBytes` as they were received. `truncated`: the body was longer, or the connection broke after the status. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/** Controls the answer while it arrives. */
export interface AnswerFlow {
  pause(): void;
  resume(): void;
  /** Ends the call and closes its connection; nothing happens when the call has ended. */
  stop(error: OutboundError): void;
}

/** Receives the answer to one call. */
export interface AnswerReceiver {
  /** Called once, with the final status. */
  start(status: number, headers: IncomingHttpHeaders, flow: AnswerFlow): void;
  data(chunk: Buffer): void;
  /** Called once, as the last; null when the whole answer has arrived. */
  end(error: OutboundError | null): void;
}

/** Makes a receiver that settles the promise of a call. */
export type CreateReceiver<A> = (
  maxBytes: number,
  resolve: (answer: A) => void,
  reject: (error: OutboundError | null) => void,
) => AnswerReceiver;

export interface AnswerReading {
  body: Buffer;
  length: number;
}

export const EMPTY = Buffer.alloc(0);

/** The first size of the buffer for a body of several chunks; it doubles from here. */
const FIRST_BUFFER_BYTES = 4096;

/** Appends a chunk to one growing buffer. With a list of chunks, a peer that sends single bytes would multiply the memory that it uses. */
export function appendChunk(reading: AnswerReading, chunk: Buffer): void {
  const length = reading.length + chunk.length;
  // Most responses have one chunk, which is used without a copy.
  if (reading.length === 0) reading.body = chunk;
  else {
    if (length > reading.body.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * reading.body.length, FIRST_BUFFER_BYTES));
      reading.body.copy(grown, 0, 0, reading.length);
      reading.body = grown;
    }
    chunk.copy(reading.body, reading.length);
  }
  reading.length = length;
}

export const joinHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));

export const makeTooLargeError = (maxBytes: number): OutboundError =>
  new OutboundError('TOO_LARGE', true, `The response has more than ${maxBytes} bytes.`);

/** Collects the answer in one buffer. After the status was received, any failure gives a truncated response instead of an error. */
export const collectAnswer: CreateReceiver<OutboundResponse> = (maxBytes, resolve, reject) => {
  const reading: AnswerReading = { body: EMPTY, length: 0 };
  let answer: { status: number; headers: IncomingHttpHeaders; flow: AnswerFlow } | null = null;
  return {
    start(status, headers, flow) {
      answer = { status, headers, flow };
    },
    data(chunk) {
      const room = maxBytes - reading.length;
      appendChunk(reading, chunk.subarray(0, room));
      if (chunk.length > room) answer?.flow.stop(makeTooLargeError(maxBytes));
    },
    end(error) {
      if (answer === null) return reject(error);
      const { status, headers } = answer;
      resolve({
        status,
        // A getter, because most callers use no headers.
        get headers() {
          return joinHeaders(headers);
        },
        body: reading.body.subarray(0, reading.length),
        truncated: error !== null,
      });
    },
  };
};
