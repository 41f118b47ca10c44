/** Serves a large answer that never changes. The answer is rendered and compressed once, and all requests share the same buffers. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keepResult } from './keep-result.ts';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
// The highest quality takes seconds and saves only a tenth of the size.
const BROTLI_QUALITY = 5;

interface Versions {
  etag: string;
  identity: Buffer;
  gzip: Buffer;
  br: Buffer;
}

/** Returns a handler that serves the result of `render`, which runs once; after a failure the next request runs it again. */
export function serveOnce(type: string, render: () => string | Promise<string>) {
  const open = keepResult(async () => makeVersions(Buffer.from(await render())));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const made = await open();
    reply.headers({ etag: made.etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
    if (request.headers['if-none-match'] === made.etag) return reply.code(304).send();
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.type(type).send(made[encoding]);
  };
}

async function makeVersions(identity: Buffer): Promise<Versions> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, zipped] = await Promise.all([toBrotli(identity, { params }), toGzip(identity)]);
  const hash = createHash('sha256').update(identity).digest('base64url');
  // A weak tag (W/), because the compressed versions have the same meaning but not the same bytes.
  return { etag: `W/"${hash}"`, identity, gzip: zipped, br };
}

/** The smallest encoding that the Accept-Encoding header allows; q=0 in the header excludes an encoding. */
function chooseEncoding(accepted: string | string[] | undefined): 'br' | 'gzip' | 'identity' {
  const named = String(accepted ?? '')
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .filter(([, quality]) => quality === undefined || Number(quality) > 0)
    .map(([name]) => name?.toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => named.includes(encoding)) ?? 'identity';
}
