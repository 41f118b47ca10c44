/**
 * Forms with a file: only the parts that the operation names, each once, the file counted while it arrives and put aside on
 * disk, so that any number of uploads costs no memory. The body that is validated has the file's hash in the file's place.
 */
import { createHash, randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { Followed } from './bodies.ts';
import { checkText, parseJson } from './body.ts';
import { AppError, invalid } from './errors.ts';
import { own } from './own.ts';

/** A file that arrived. It can be read until its request has been answered. */
export interface Upload {
  /** As the caller calls it, without a path. */
  fileName: string;
  bytes: number;
  /** Hex. */
  sha256: string;
  /** From `start` until before `end`, in pieces of at most a megabyte. */
  read(start?: number, end?: number): AsyncGenerator<Buffer>;
}

/** The part of a form that is a file. */
export const FilePart = Type.String({ format: 'binary' });

export interface Form {
  body: Record<string, unknown>;
  upload: Upload | null;
  /** Keeps the file while the handler runs, even when the caller hangs up. */
  hold(): void;
  /** Gives the file's place back. */
  discard(): Promise<void>;
}

// What a JSON body may be, for all other parts together.
const MAX_TEXT_BYTES = 1024 * 1024;
// More than any operation names: what is not expected is refused by its name, as long as there are so few.
const MAX_PARTS = 100;
// As long as one that is stored in the database.
export const PIECE_BYTES = 1024 * 1024;
const MAX_FILE_NAME = 255;

/** Makes an encapsulated part of the server take forms, and nothing else. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
}

/**
 * Reads a form. `body`: an object whose properties are the parts; one that is no text is JSON. `owner`: at whose pace its file is read. Throws
 * UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_BODY or VALIDATION_FAILED, the last three naming the part.
 */
export async function receiveForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, maxBytes, owner }: { body: TSchema | undefined; maxBytes: number; owner: string },
): Promise<Form> {
  const encoding = request.headers['content-encoding'];
  if (!request.isMultipart() || (encoding !== undefined && encoding !== 'identity'))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'This operation takes multipart/form-data');
  const spool: Spool = { file: null };
  const discard = async (): Promise<void> => spool.file?.handle.close();
  const followed = request.server.bodies.follow(request);
  try {
    // A megabyte for the frame and the other parts.
    if (Number(request.headers['content-length']) > maxBytes + 2 * MAX_TEXT_BYTES) throw tooLarge('file', maxBytes);
    const keepPace = (bytes: number): Promise<void> => request.server.bodies.keepPace(owner, bytes);
    const { properties: parts = {} } = (body ?? {}) as { properties?: Record<string, TSchema> };
    const reading = readParts(request, { parts, maxBytes, spool, followed, keepPace });
    const values = await Promise.race([reading, followed.failed]);
    let held = false;
    // Failure policy: what can not be closed is closed with the process.
    reply.raw.once('close', () => void (held || discard().catch(() => undefined)));
    return { body: values, upload: spool.file?.upload ?? null, hold: () => (held = true), discard };
  } catch (error) {
    // Failure policy: nothing of the form is kept, and the caller is told why.
    await discard();
    throw toProblem(error);
  } finally {
    followed.end();
  }
}

interface Reading {
  parts: Record<string, TSchema>;
  maxBytes: number;
  spool: Spool;
  followed: Followed;
  keepPace(bytes: number): Promise<void>;
}

interface Spool {
  file: { handle: FileHandle; upload: Upload } | null;
}

async function readParts(request: FastifyRequest, reading: Reading): Promise<Record<string, unknown>> {
  const body = new Map<string, unknown>();
  let textBytes = 0;
  // Until a part is complete the reader of forms holds its bytes; those of a file go to the disk.
  reading.followed.count(true);
  const limits = { fileSize: Infinity, fieldSize: MAX_TEXT_BYTES, parts: MAX_PARTS, files: 2, headerPairs: 20 };
  for await (const part of quiet(request).parts({ limits })) {
    // A part without a name has none at all.
    const name = (part.fieldname as string | undefined) ?? '';
    const schema = own(reading.parts, name);
    if (name === '') throw invalid('body', 'has a part without a name', 'ADDITIONAL_PROPERTIES');
    if (!schema) throw invalid(name.slice(0, 100), 'is not a part of this form', 'ADDITIONAL_PROPERTIES');
    if (body.has(name)) throw invalid(name, 'stands in the form twice', 'DUPLICATE');
    const isFile = (schema as { format?: string }).format === 'binary';
    if (isFile !== (part.type === 'file'))
      throw invalid(name, isFile ? 'must be a file, with a file name' : 'is not a file', 'TYPE');
    if (part.type === 'file') {
      // What it is called may change from one try to the next.
      reading.followed.count(false);
      body.set(name, (await putAside(part, reading)).sha256);
      reading.followed.count(true);
    } else {
      if (part.valueTruncated) throw tooLarge(name, MAX_TEXT_BYTES);
      const value = readValue(part, schema);
      textBytes += Buffer.byteLength(String(part.value));
      if (textBytes > MAX_TEXT_BYTES) throw tooLarge(name, MAX_TEXT_BYTES);
      if (value !== undefined) body.set(name, value);
    }
  }
  return Object.fromEntries(body);
}

/** The reader of forms logs all headers, the token among them. */
const quiet = (request: FastifyRequest): FastifyRequest =>
  Object.create(request, { log: { value: request.log.child({}, { level: 'silent' }) } }) as FastifyRequest;

function readValue(part: MultipartValue, schema: TSchema): unknown {
  const { type } = schema as { type?: string | string[] };
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  // A part that calls itself JSON has been read as such already.
  const text = typeof part.value === 'string' && part.mimetype !== 'application/json' ? part.value : null;
  if (isText && text !== null) {
    checkText(text, part.fieldname);
    return text;
  }
  try {
    return parseJson(Buffer.from(text ?? JSON.stringify(part.value)));
  } catch {
    // Failure policy: the parser's own words name places inside the part; the caller learns which part it is.
    throw invalid(part.fieldname, 'is not JSON', 'MALFORMED');
  }
}

/** The file has no name from the first moment: a process that dies leaves nothing behind. */
async function putAside(part: MultipartFile, { maxBytes, spool, keepPace }: Reading): Promise<Upload> {
  const path = join(tmpdir(), `parley-upload-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  const fileName = part.filename.replaceAll(/\p{Cc}/gu, '');
  const upload: Upload = {
    fileName: fileName.toWellFormed().slice(0, MAX_FILE_NAME).toWellFormed(),
    bytes: 0,
    sha256: '',
    read: (start = 0, end = upload.bytes) => readPieces(handle, start, end),
  };
  spool.file = { handle, upload };
  await unlink(path);
  const hash = createHash('sha256');
  for await (const piece of part.file as AsyncIterable<Buffer>) {
    if (upload.bytes + piece.length > maxBytes) throw tooLarge(part.fieldname, maxBytes);
    hash.update(piece);
    await handle.write(piece, 0, piece.length, upload.bytes);
    upload.bytes += piece.length;
    await keepPace(piece.length);
  }
  upload.sha256 = hash.digest('hex');
  return upload;
}

async function* readPieces(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    const wanted = Math.min(PIECE_BYTES, end - position);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function tooLarge(path: string, maxBytes: number): AppError {
  const message = `is larger than ${maxBytes} bytes`;
  return new AppError('BODY_TOO_LARGE', `${path} ${message}`, [{ path, code: 'TOO_LARGE', message }]);
}

/** What the reader of forms throws, in our words: its limits are 413, everything else is a form that can not be read. */
function toProblem(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error;
  const { code = '' } = (error ?? {}) as { code?: string };
  if (code === 'FST_FILES_LIMIT') return invalid('file', 'stands in the form twice', 'DUPLICATE');
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return new AppError('BODY_TOO_LARGE', 'The form has too many parts');
  if (['ENOSPC', 'EDQUOT', 'EMFILE'].includes(code))
    return new AppError('UNAVAILABLE', 'There is no room for uploads right now', [], { 'retry-after': '5' });
  if (code !== '' && !code.startsWith('FST_')) return error;
  return new AppError('MALFORMED_BODY', 'The body is no complete form');
}
