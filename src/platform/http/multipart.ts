/**
 * Reads forms with a file (multipart/form-data). Only the parts that the operation declares are accepted, each at most once. The file is
 * written to disk while it arrives, so that uploads take no memory. In the validated body the file's hash stands for the file.
 */
import type { FileHandle } from 'node:fs/promises';
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { SupervisedBody } from './bodies.ts';
import { checkText, parseJson } from './body.ts';
import { AppError, invalid } from '../values/errors.ts';
import { getOwnProperty } from '../values/own-property.ts';
import { openTemporaryFile, readPieces, TooManyBytes, writeStream } from '../store/temporary-file.ts';
import { declareLimit } from '../values/limits.ts';

/** An uploaded file. It can be read until its request has been answered. */
export interface Upload {
  /** The file's name without a path and control characters, at most 255 characters of it. */
  fileName: string;
  /** The file's name exactly as the caller gave it. */
  givenName: string;
  bytes: number;
  /** The hash of the content, in hex. */
  sha256: string;
  /** Reads the bytes from `start` (inclusive) to `end` (exclusive), in pieces. */
  read(start?: number, end?: number): AsyncGenerator<Buffer>;
}

/** The schema of the part of a form that is a file. */
export const FilePart = Type.String({ format: 'binary', description: 'The file' });

export interface Form {
  body: Record<string, unknown>;
  upload: Upload | null;
  /** Keeps the file open while the handler runs, even when the caller hangs up. */
  hold(): void;
  /** Closes the file, which frees its disk space. */
  discard(): Promise<void>;
}

// The bytes of all parts together except the file: as many as a JSON body may have.
const MAX_TEXT_BYTES = declareLimit(1024 * 1024, {
  topic: 'Requests',
  what: 'Form: all parts without the file',
  unit: 'bytes',
  beyond: '413',
});
// The most parts of a form; no operation has as many. Below this limit an unexpected part is refused by its name.
const MAX_PARTS = declareLimit(100, { topic: 'Requests', what: 'Form: parts', beyond: '413' });
const MAX_FILE_NAME = 255;

/** Makes a part of the server accept forms only. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
}

export interface FormLimits {
  /** The most bytes of the file. */
  maxBytes: number;
  /** The schema of parts that are not declared; without it they are refused. */
  others?: TSchema;
  /** The most bytes that the values of the parts in front of the file allow, if these are fewer. */
  narrow?(parts: ReadonlyMap<string, unknown>): number;
}

/**
 * Reads a form. `body` is a schema whose properties are the parts; a part whose type is not a string is parsed as JSON. `owner` is whose
 * upload rate the file counts against. Throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_BODY or VALIDATION_FAILED; the last three
 * name the part.
 */
export async function receiveForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, owner, ...limits }: { body: TSchema | undefined; owner: string } & FormLimits,
): Promise<Form> {
  const { maxBytes, narrow = () => maxBytes } = limits;
  const encoding = request.headers['content-encoding'];
  if (!request.isMultipart() || (encoding !== undefined && encoding !== 'identity'))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'This operation requires multipart/form-data');
  const spool: FileSpool = { file: null };
  const discard = async (): Promise<void> => spool.file?.handle.close();
  const followed = request.server.bodies.follow(request);
  try {
    // The content length may exceed the file's limit by a megabyte for the other parts and one for the headers of all parts.
    if (Number(request.headers['content-length']) > maxBytes + 2 * MAX_TEXT_BYTES)
      throw makeTooLargeError('file', maxBytes);
    const keepPace = (bytes: number): Promise<void> => request.server.bodies.keepPace(owner, bytes);
    const { properties: parts = {} } = (body ?? {}) as { properties?: Record<string, TSchema> };
    const reading = readParts(request, { parts, others: limits.others, maxBytes, narrow, spool, followed, keepPace });
    const values = await Promise.race([reading, followed.failed]);
    let held = false;
    // Failure policy: a file that cannot be closed now is closed when the process ends.
    reply.raw.once('close', () => void (held || discard().catch(() => undefined)));
    return { body: values, upload: spool.file?.upload ?? null, hold: () => (held = true), discard };
  } catch (error) {
    // Failure policy: nothing of the form is kept, and the caller receives the reason.
    await discard();
    throw toProblem(error);
  } finally {
    followed.end();
  }
}

interface FormReading {
  parts: Record<string, TSchema>;
  others: TSchema | undefined;
  maxBytes: number;
  narrow(parts: ReadonlyMap<string, unknown>): number;
  spool: FileSpool;
  followed: SupervisedBody;
  keepPace(bytes: number): Promise<void>;
}

interface FileSpool {
  file: { handle: FileHandle; upload: Upload } | null;
}

async function readParts(request: FastifyRequest, reading: FormReading): Promise<Record<string, unknown>> {
  const body = new Map<string, unknown>();
  let textBytes = 0;
  // The form parser keeps each text part in memory until it is complete, so its bytes are counted; the bytes of a file are written to disk.
  reading.followed.count(true);
  const limits = { fileSize: Infinity, fieldSize: MAX_TEXT_BYTES, parts: MAX_PARTS, headerPairs: 20 };
  for await (const part of withoutRequestLog(request).parts({ limits, preservePath: true })) {
    // For a part without a name the form parser leaves the property out.
    const name = (part.fieldname as string | undefined) ?? '';
    const schema = getOwnProperty(reading.parts, name) ?? reading.others;
    if (name === '') throw invalid('body', 'has a part without a name', 'ADDITIONAL_PROPERTIES');
    if (!schema) throw invalid(name.slice(0, 100), 'is not a part of this form', 'ADDITIONAL_PROPERTIES');
    if (body.has(name)) throw invalid(name, 'appears twice in the form', 'DUPLICATE');
    const isFile = (schema as { format?: string }).format === 'binary';
    if (isFile) {
      if (part.type !== 'file') throw invalid(name, 'must be a file, with a file name', 'TYPE');
      // In the body the hash of the file stands for the file, and not its name, which may change between two attempts of the same request.
      reading.followed.count(false);
      const maxBytes = Math.min(reading.maxBytes, reading.narrow(body));
      body.set(name, (await spoolFile(part, { ...reading, maxBytes })).sha256);
      reading.followed.count(true);
    } else {
      const text = await readPartText(part, MAX_TEXT_BYTES - textBytes);
      textBytes += text.length;
      const value = readFormValue(name, text, schema);
      if (value !== undefined) body.set(name, value);
    }
  }
  return Object.fromEntries(body);
}

/** Returns a copy of the request without a log, because the form parser would log all headers, including the token. */
const withoutRequestLog = (request: FastifyRequest): FastifyRequest =>
  Object.create(request, { log: { value: request.log.child({}, { level: 'silent' }) } }) as FastifyRequest;

/**
 * Reads the bytes of a part that is a value. Some clients give it a file name, because they send it as a Blob to name its content type; the
 * form parser takes such a part for a file. Throws BODY_TOO_LARGE when the part has more bytes than `most`.
 */
async function readPartText(part: Multipart, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > most) throw makeTooLargeError(part.fieldname, MAX_TEXT_BYTES);
    pieces.push(piece);
  };
  if (part.type === 'file') for await (const piece of part.file as AsyncIterable<Buffer>) add(piece);
  else {
    if (part.valueTruncated) throw makeTooLargeError(part.fieldname, MAX_TEXT_BYTES);
    // The form parser has parsed a part with the content type application/json already.
    add(Buffer.from(typeof part.value === 'string' ? part.value : JSON.stringify(part.value)));
  }
  return Buffer.concat(pieces);
}

function readFormValue(name: string, bytes: Buffer, schema: TSchema): unknown {
  const { type } = schema as { type?: string | string[] };
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) {
    const text = bytes.toString('utf8');
    checkText(text, name);
    return text;
  }
  try {
    return parseJson(bytes);
  } catch {
    // Failure policy: the caller gets the name of the part that is not JSON; the message of the parser would name a position inside the
    // part.
    throw invalid(name, 'is not JSON', 'MALFORMED');
  }
}

/** Writes a file to disk and counts its bytes. */
async function spoolFile(part: MultipartFile, { maxBytes, spool, keepPace }: FormReading): Promise<Upload> {
  const handle = await openTemporaryFile();
  const upload: Upload = {
    fileName: cleanName(part.filename),
    givenName: part.filename,
    bytes: 0,
    sha256: '',
    read: (start = 0, end = upload.bytes) => readPieces(handle, start, end),
  };
  spool.file = { handle, upload };
  try {
    return Object.assign(upload, await writeStream(handle, part.file, { maxBytes, onPiece: keepPace }));
  } catch (error) {
    // Failure policy: the caller is told which part is too large; everything else is thrown on.
    throw error instanceof TooManyBytes ? makeTooLargeError(part.fieldname, maxBytes) : error;
  }
}

function cleanName(given: string): string {
  const name = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const kept = name === '.' || name === '..' ? '' : name.replaceAll(/\p{Cc}/gu, '');
  return kept.toWellFormed().slice(0, MAX_FILE_NAME).toWellFormed();
}

function makeTooLargeError(path: string, maxBytes: number): AppError {
  const message = `is larger than ${maxBytes} bytes`;
  return new AppError('BODY_TOO_LARGE', `${path} ${message}`, [{ path, code: 'TOO_LARGE', message }]);
}

/** Converts an error of the form parser: exceeded limits become 413, full disks 503, and everything else a malformed body. */
function toProblem(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error;
  const { code = '' } = (error ?? {}) as { code?: string };
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return new AppError('BODY_TOO_LARGE', 'The form has too many parts');
  if (['ENOSPC', 'EDQUOT', 'EMFILE'].includes(code))
    return new AppError('UNAVAILABLE', 'Uploads are not possible right now', [], { 'retry-after': '5' });
  if (code !== '' && !code.startsWith('FST_')) return error;
  return new AppError('MALFORMED_BODY', 'The body is not a complete form');
}
