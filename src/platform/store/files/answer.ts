/**
 * Answers a request with a whole file, with a single range of it (RFC 9110), or with 304 when the caller has the file already. The headers
 * make a browser use the media type that the platform has detected, and keep the file from running scripts.
 */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listsEtag } from '../../http/asset.ts';
import { AppError } from '../../values/errors.ts';
import type { ByteRange } from './store.ts';

export interface ServedFile {
  bytes: number;
  mimeType: string;
  /** The name under which a browser saves the file. */
  fileName: string;
  /** The hash of the content, in hex. */
  sha256: string;
  /** Whether a browser may show the file instead of saving it. */
  isShown: boolean;
  /** Opens the file, or a part of it. */
  open(range?: ByteRange): Promise<Readable>;
}

// A file that a browser shows can load no other file, run no scripts and send no data.
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";
// The content behind a link never changes, but the file can be removed, and its link can expire.
const CACHE = 'private, max-age=3600';

export async function answerWithFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`;
  const isKnown = listsEtag(request.headers['if-none-match'], etag);
  const range = isKnown ? undefined : findRange(request, etag, file.bytes);
  // The file is opened before any header is set, because an error has headers of its own.
  const body = isKnown || request.method === 'HEAD' ? null : await file.open(range);
  reply.headers({
    etag,
    'cache-control': CACHE,
    'accept-ranges': 'bytes',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Pages of other sites may show a file, because everybody who has its link can read it anyway.
    'cross-origin-resource-policy': 'cross-origin',
    'content-disposition': describeDisposition(file),
  });
  if (isKnown) return reply.code(304).send();
  reply.type(file.mimeType.startsWith('text/') ? `${file.mimeType}; charset=utf-8` : file.mimeType);
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end - 1}/${file.bytes}`);
  reply.header('content-length', range ? range.end - range.start : file.bytes);
  return reply.send(body ?? undefined);
}

/** The range that the request asks for; undefined for the whole file. Throws RANGE_NOT_SATISFIABLE for a range outside of the file. */
function findRange({ headers, method }: FastifyRequest, etag: string, bytes: number): ByteRange | undefined {
  // The caller has a part of an older file, which would not fit together with a part of this one.
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? [];
  const isBackward = first !== '' && last !== '' && Number(last) < Number(first);
  // Several ranges, units other than bytes, and malformed ranges are answered with the whole file.
  if (method !== 'GET' || !isCurrent || first + last === '' || isBackward) return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  if (start < end) return { start, end };
  throw new AppError('RANGE_NOT_SATISFIABLE', `The file has ${bytes} bytes`, [], {
    'content-range': `bytes */${bytes}`,
  });
}

/** RFC 6266: the name in ASCII for old clients, and in UTF-8. */
function describeDisposition({ isShown, fileName }: ServedFile): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
