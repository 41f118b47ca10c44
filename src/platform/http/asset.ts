/** Serves a large answer that never changes. The answer is rendered and compressed once, and all requests share the same buffers. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keepResult } from '../work/keep-result.ts';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
// The quality of the Brotli compression; the highest quality takes seconds and saves only a tenth of the size.
const BROTLI_QUALITY = 5;

type Content = string | Buffer;

interface EncodedVersions {
  etag: string;
  identity: Buffer;
  /** Null when it would be larger than the content itself, as for a picture. */
  gzip: Buffer | null;
  br: Buffer | null;
}

export type SendAsset = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Returns a handler that serves the result of `render`, which runs once; after a failure the next request runs it again. Caches revalidate
 * the answer each time, unless `headers` has another `cache-control`.
 */
export function createAssetSender(
  type: string,
  render: () => Content | Promise<Content>,
  headers: Record<string, string> = {},
): SendAsset {
  const open = keepResult(async () => compressVersions(toBuffer(await render())));
  return async (request, reply) => {
    const made = await open();
    reply.headers({ 'cache-control': 'no-cache', ...headers, etag: made.etag, vary: 'accept-encoding' });
    if (listsEtag(request.headers['if-none-match'], made.etag)) return reply.code(304).send();
    const encoding = chooseEncoding(request.headers['accept-encoding'], made);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.type(type).send(made[encoding]);
  };
}

const toBuffer = (content: Content): Buffer => (typeof content === 'string' ? Buffer.from(content) : content);

async function compressVersions(identity: Buffer): Promise<EncodedVersions> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, zipped] = await Promise.all([toBrotli(identity, { params }), toGzip(identity)]);
  const hash = createHash('sha256').update(identity).digest('base64url');
  // The ETag is weak (W/), because the compressed versions have the same meaning but not the same bytes.
  const orNull = (compressed: Buffer): Buffer | null => (compressed.length < identity.length ? compressed : null);
  return { etag: `W/"${hash}"`, identity, gzip: orNull(zipped), br: orNull(br) };
}

/** True when the If-None-Match header lists this tag. */
export const listsEtag = (listed: string | undefined, etag: string): boolean =>
  (listed ?? '').split(',').some((tag) => tag.trim() === etag);

/**
 * Returns the encoding with the smallest result among those that the Accept-Encoding header allows; q=0 in the header excludes an encoding.
 */
function chooseEncoding(accepted: string | string[] | undefined, made: EncodedVersions): 'br' | 'gzip' | 'identity' {
  const named = String(accepted ?? '')
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .filter(([, quality]) => quality === undefined || Number(quality) > 0)
    .map(([name]) => name?.toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => made[encoding] && named.includes(encoding)) ?? 'identity';
}
