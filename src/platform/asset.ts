/** A large answer that never changes: rendered and compressed once, and one buffer for everybody who reads it, however slowly. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
// The best one takes seconds for a tenth less.
const BROTLI_QUALITY = 5;

interface Versions {
  etag: string;
  identity: Buffer;
  gzip: Buffer;
  br: Buffer;
}

/** A handler that serves what `render` returns, which is called with the first request. */
export function serveOnce(type: string, render: () => string | Promise<string>) {
  let versions: Promise<Versions> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    versions ??= Promise.resolve(render()).then((text) => makeVersions(Buffer.from(text)));
    const made = await versions;
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
  // Weak: the versions have the same meaning, not the same bytes.
  return { etag: `W/"${hash}"`, identity, gzip: zipped, br };
}

/** The smallest version that the caller names. One that is named only to be refused (q=0) is not taken. */
function chooseEncoding(accepted: string | string[] | undefined): 'br' | 'gzip' | 'identity' {
  const named = String(accepted ?? '')
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .filter(([, quality]) => quality === undefined || Number(quality) > 0)
    .map(([name]) => name?.toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => named.includes(encoding)) ?? 'identity';
}
