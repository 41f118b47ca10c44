/**
 * Serves the platform's small web pages from the folders of web/, without a bundler, other hosts or inline code. A folder has page.html
 * and its files (.css, .svg, .ts). A file is read, and types are stripped from .ts files, when it is first requested.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { CountVisit } from './access.ts';
import { own } from './own.ts';

/** Headers of every page and of the files that it loads. */
export const PAGE_HEADERS = {
  // Only the platform's own scripts may run, whatever text a page shows, and they may connect only to the platform.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // The URL of a page may contain a secret, such as a reset token.
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
    // Files have no version in their name, so a browser must revalidate them each time. The page itself is not cached at all.
    const headers = { ...PAGE_HEADERS, 'content-type': type, 'cache-control': isPage ? 'no-store' : 'no-cache' };
    const options = { config: { access: 'public' }, onRequest: count };
    app.get(isPage ? path : `${path}/${name.replace(/\.ts$/, '.js')}`, options, (_, reply) =>
      reply.headers(headers).send(readBody()),
    );
  }
}

/** Reads a file of web/<folder> in the form that browsers understand. */
export function readPageFile(folder: string, name: string): string {
  const text = readFileSync(new URL(`../../web/${folder}/${name}`, import.meta.url), 'utf8');
  return extname(name) === '.ts' ? asJavaScript(text) : text;
}

/** Converts TypeScript to JavaScript: types are replaced by blanks, which keeps line numbers, and imports of `.ts` become `.js`. */
function asJavaScript(source: string): string {
  return withoutWarnings(() => stripTypeScriptTypes(source)).replaceAll(
    /(\b(?:from|import)\s*\(?\s*)(['"])(\.[^'"]*)\.ts\2/g,
    '$1$2$3.js$2',
  );
}

/** Suppresses Node's warning that stripping types is experimental, which an operator need not read at every start. */
function withoutWarnings(strip: () => string): string {
  const { emitWarning } = process;
  // Other warnings are not lost, because the call is synchronous.
  process.emitWarning = () => undefined;
  try {
    return strip();
  } finally {
    process.emitWarning = emitWarning;
  }
}
