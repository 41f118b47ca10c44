/**
 * Small pages of our own, from the folders of web/: no bundler, no outside host, nothing inline. A folder holds page.html and
 * what it needs (.css, .svg, .ts); everything is read once at boot, and types are stripped when a module is first asked for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { CountVisit } from './access.ts';
import { own } from './own.ts';

/** Of every page of ours and what it loads. */
export const PAGE_HEADERS = {
  // Whatever text a page shows, only our own files run, and they talk to nobody but us.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // A page's address may have carried a secret.
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Serves web/<folder>: its page.html at `path`, its other files below it, `.ts` as `.js`. Pages address their files and the
 * API relative to themselves, so that a proxy may put the platform below a prefix.
 */
export function pageRoutes(app: FastifyInstance, count: CountVisit, path: string, folder: string): void {
  const root = new URL(`../../web/${folder}/`, import.meta.url);
  for (const name of readdirSync(root).filter((file) => !file.endsWith('.test.ts'))) {
    const extension = extname(name);
    const type = own(TYPES, extension);
    if (!type) throw new Error(`web/${folder}/${name} is of no kind that pages serve`);
    const isPage = extension === '.html';
    let body: string | undefined;
    const readBody = (): string => (body ??= readPageFile(folder, name));
    // Files have no version in their name: a browser asks again each time. The page itself leaves no trace at all.
    const headers = { ...PAGE_HEADERS, 'content-type': type, 'cache-control': isPage ? 'no-store' : 'no-cache' };
    const options = { config: { access: 'public' }, onRequest: count };
    app.get(isPage ? path : `${path}/${name.replace(/\.ts$/, '.js')}`, options, (_, reply) =>
      reply.headers(headers).send(readBody()),
    );
  }
}

/** A file of web/<folder> as a browser takes it. */
export function readPageFile(folder: string, name: string): string {
  const text = readFileSync(new URL(`../../web/${folder}/${name}`, import.meta.url), 'utf8');
  return extname(name) === '.ts' ? asJavaScript(text) : text;
}

/** What a browser runs: the types become blanks, so that lines stay where they are, and modules import each other as `.js`. */
function asJavaScript(source: string): string {
  return quietly(() => stripTypeScriptTypes(source)).replaceAll(
    /(\b(?:from|import)\s*\(?\s*)(['"])(\.[^'"]*)\.ts\2/g,
    '$1$2$3.js$2',
  );
}

/** Node calls the stripping experimental, as it long did its own; an operator need not read that at every start. */
function quietly(strip: () => string): string {
  const { emitWarning } = process;
  // Nothing else can warn meanwhile: this is synchronous.
  process.emitWarning = () => undefined;
  try {
    return strip();
  } finally {
    process.emitWarning = emitWarning;
  }
}
