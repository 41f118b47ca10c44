/**
 * Keeps files in a bucket of an S3-compatible service. The bucket belongs to one installation: what looks like a file of the platform and is
 * named by no record is removed.
 */
import type { Readable } from 'node:stream';
import { AppError } from '../../values/errors.ts';
import { OutboundError } from '../../outside/outbound-error.ts';
import type { Outbound } from '../../outside/outbound.ts';
import type { OutboundStream, StreamedBody } from '../../outside/outbound-stream.ts';
import type { Log } from '../../work/telemetry.ts';
import { openTemporaryFile, TooManyBytes, writeStream, type WrittenFile } from '../temporary-file.ts';
import { parseListing, type Listing } from './s3-listing.ts';
import { canonicalQuery, EMPTY_HASH, signRequest, type S3Credentials } from './sigv4.ts';
import { checkRange, type ByteRange, type FileContent, type FileStore, type PutOptions } from './store.ts';

export interface S3Settings extends S3Credentials {
  endpoint: string;
  bucket: string;
  /** Where a request names the bucket: `endpoint/bucket/key` or `bucket.endpoint/key`. */
  addressing: 'path' | 'virtual';
}

interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Empty for the bucket itself. */
  key: string;
  query?: [string, string][];
  headers?: Record<string, string>;
  body?: StreamedBody;
  payloadHash?: string;
  timeoutMs: number;
}

/**
 * The time limit for reading a file. It is long, because a client may read slowly; the server closes the connection of a client that reads
 * nothing for a minute.
 */
const GET_MS = 15 * 60_000;
/** The time limit for storing a file, as long as the request of the client that uploads it may take. */
const PUT_MS = 60_000;
const SMALL_MS = 10_000;
/** The services take no larger object in one request. */
const MAX_OBJECT_BYTES = 5 * 1024 ** 3;
/** A page of 1,000 keys has some 400 kB. */
const MAX_LISTING_BYTES = 4 * 1024 ** 2;
/** A refusal names its reason within the first few hundred bytes. */
const MAX_REFUSAL_BYTES = 4096;

export function createS3Store(outbound: Outbound, settings: S3Settings, log: Log): FileStore {
  const service = createService(outbound, settings, log);
  return {
    put: (key, content, options) => putObject(service, key, content, options),
    get: (key, range) => getObject(service, key, range),
    remove: (key) => removeObject(service, key),
    list: () => listObjects(service),
    // The service keeps nothing of an object that did not arrive completely.
    removeUnfinished: async () => undefined,
  };
}

/**
 * Sends the content with its length and its hash, by which the service detects damage. Where these are not known, the content is written to
 * disk first, because the request begins with them.
 */
async function putObject(
  service: Service,
  key: string,
  content: Readable,
  { maxBytes, contentType, known }: PutOptions,
): Promise<WrittenFile> {
  if (known) {
    if (known.bytes > Math.min(maxBytes, MAX_OBJECT_BYTES)) throw new TooManyBytes(maxBytes);
    return sendObject(service, { key, content, contentType, written: known });
  }
  const handle = await openTemporaryFile();
  try {
    const written = await writeStream(handle, content, { maxBytes: Math.min(maxBytes, MAX_OBJECT_BYTES) });
    const stored = handle.createReadStream({ start: 0, autoClose: false });
    return await sendObject(service, { key, content: stored, contentType, written });
  } finally {
    await handle.close();
  }
}

interface Sending {
  key: string;
  content: Readable;
  contentType: string;
  written: WrittenFile;
}

async function sendObject(service: Service, { key, content, contentType, written }: Sending): Promise<WrittenFile> {
  const answer = await service.call({
    method: 'PUT',
    key,
    headers: { 'content-type': contentType },
    body: { stream: content, bytes: written.bytes },
    payloadHash: written.sha256,
    timeoutMs: PUT_MS,
  });
  const code = await readCode(answer.body);
  if (!isSuccess(answer.status)) throw service.unavailable('PUT', `${answer.status} ${code}`);
  return written;
}

async function getObject(service: Service, key: string, range?: ByteRange): Promise<FileContent | null> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end - 1}` } : {};
  const answer = await service.call({ method: 'GET', key, headers, timeoutMs: GET_MS });
  if (answer.status !== (range ? 206 : 200)) {
    const code = await readCode(answer.body);
    if (isMissing(answer, code)) return null;
    if (answer.status === 416) throw new RangeError('the range is no part of the file');
    throw service.unavailable('GET', `${answer.status} ${code}`);
  }
  try {
    const bytes = fileSize(answer);
    if (!Number.isInteger(bytes)) throw service.unavailable('GET', 'the answer does not say how large the file is');
    if (range) checkRange(range, bytes);
    return { bytes, body: answer.body };
  } catch (error) {
    answer.body.destroy();
    throw error;
  }
}

async function removeObject(service: Service, key: string): Promise<void> {
  const answer = await service.call({ method: 'DELETE', key, timeoutMs: SMALL_MS });
  const code = await readCode(answer.body);
  if (!isSuccess(answer.status) && !isMissing(answer, code))
    throw service.unavailable('DELETE', `${answer.status} ${code}`);
}

async function* listObjects(service: Service): AsyncGenerator<{ key: string; writtenMs: number }> {
  let next: string | null = null;
  do {
    const query: [string, string][] = [['list-type', '2']];
    if (next !== null) query.push(['continuation-token', next]);
    const answer = await service.call({ method: 'GET', key: '', query, timeoutMs: SMALL_MS });
    if (answer.status !== 200) throw service.unavailable('LIST', `${answer.status} ${await readCode(answer.body)}`);
    const listing: Listing | null = await parseListing(await service.read('LIST', answer));
    if (listing === null) throw service.unavailable('LIST', 'the answer is no listing');
    yield* listing.files;
    next = listing.next;
  } while (next !== null);
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const isMissing = ({ status }: OutboundStream, code: string): boolean => status === 404 && code !== 'NoSuchBucket';

interface Service {
  call(request: S3Request): Promise<OutboundStream>;
  /** Reads the text of a listing. */
  read(operation: string, answer: OutboundStream): Promise<string>;
  /** Logs why the store failed, and returns the error for the caller, who learns only that files are away. */
  unavailable(operation: string, reason: unknown): AppError;
}

function createService(outbound: Outbound, settings: S3Settings, log: Log): Service {
  const root = findRoot(settings);
  const unavailable = (operation: string, reason: unknown): AppError => {
    log.error(reason instanceof Error ? { err: reason, operation } : { reason, operation }, 'files: the store failed');
    return new AppError('UNAVAILABLE', 'Files cannot be reached right now', [], { 'retry-after': '5' });
  };
  return {
    unavailable,
    async call({ method, key, query = [], headers = {}, body, payloadHash = EMPTY_HASH, timeoutMs }) {
      const url = new URL(key === '' ? root : `${root}/${key}`);
      url.search = canonicalQuery(query);
      const signed = signRequest({ method, url, headers, payloadHash }, settings, new Date());
      try {
        return await outbound.streamOperator({
          method,
          url: url.href,
          headers: signed,
          ...(body && { body }),
          signal: AbortSignal.timeout(timeoutMs),
          maxBytes: MAX_OBJECT_BYTES,
        });
      } catch (error) {
        // Failure policy: without an answer nothing is known about the file, and the caller may try again.
        throw error instanceof OutboundError ? unavailable(method, error) : error;
      }
    },
    read: async (operation, { body }) => {
      try {
        return await readText(body, MAX_LISTING_BYTES);
      } catch (error) {
        // Failure policy: the listing is given up, and the next sweep begins anew.
        throw unavailable(operation, error);
      }
    },
  };
}

/** Returns the address of the bucket. */
function findRoot({ endpoint, bucket, addressing }: S3Settings): string {
  return addressing === 'path' ? `${endpoint}/${bucket}` : endpoint.replace('://', `://${bucket}.`);
}

/** The size of the whole file, by the headers of an answer. NaN when they do not say it. */
function fileSize({ status, headers }: OutboundStream): number {
  return Number(status === 206 ? /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length']);
}

/** The code by which the service names the reason of a refusal; empty when there is none. Reads or destroys the body. */
async function readCode(body: Readable): Promise<string> {
  try {
    return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(await readText(body, MAX_REFUSAL_BYTES))?.[1] ?? '';
  } catch {
    // Failure policy: when the reason does not arrive, the error contains only the status.
    return '';
  }
}

/** Reads a text of at most `maxBytes`; what follows is cut off. */
async function readText(body: Readable, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(pieces).toString('utf8', 0, Math.min(bytes, maxBytes));
}
