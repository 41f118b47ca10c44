/**
 * Serves the apps of web/, each from its folder, without other hosts or inline code. A folder has page.html and the files that the page
 * loads. Each file is read and compressed once, when it is first requested, and an answer has an ETag.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import type { CountVisit } from './access.ts';
import { createAssetSender, type SendAsset } from './asset.ts';
import { notFound } from '../values/errors.ts';
import { keepResult } from '../work/keep-result.ts';

export interface WebApp {
  /** Its folder in web/. */
  name: string;
  /** The address of its page. The addresses of its files are below. */
  path: string;
  /**
   * Finds the folder that the app's build writes, when the app is first opened. An app without one is served from web/, its `.ts` files as
   * `.js` without types.
   */
  build?: () => string;
  /** What differs from the content policy of every page. */
  policy?: Policy;
  /**
   * Decides what differs for the page at one address of a built app, such as `frame-ancestors` for the sites that may frame it; null when no
   * page is there. By default each address that names no file has the page.
   */
  findPolicy?: (address: string, caller: string) => Promise<Policy | null>;
  /** Addresses of pages that other sites open in a window of theirs, which has to stay theirs until it shows one of their pages again. */
  visited?: readonly string[];
  /** The app records voice notes, so its pages may ask for the microphone. */
  microphone?: boolean;
}

const POLICY = {
  // Only the platform's own scripts may run, whatever text a page shows, and they may connect only to the platform.
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'media-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};
type Policy = Partial<typeof POLICY & { 'manifest-src': string }>;

/** The headers of a page and of the files that it loads. `policy` replaces directives of the content policy of every page. */
export function pageHeaders({ policy = {}, microphone = false }: Partial<WebApp> = {}): Record<string, string> {
  const directives = { ...POLICY, ...policy };
  return {
    'content-security-policy': Object.entries(directives)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    // Browsers without frame-ancestors know only this header, which cannot name the sites that may frame a page.
    ...(directives['frame-ancestors'] === POLICY['frame-ancestors'] ? { 'x-frame-options': 'DENY' } : {}),
    // The URL of a page may contain a secret, such as a reset token.
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': `camera=(), microphone=(${microphone ? 'self' : ''}), geolocation=(), payment=(), usb=()`,
  };
}

const PAGE = 'page.html';
const HTML = 'text/html; charset=utf-8';
const TYPES = new Map([
  ['.html', HTML],
  ['.css', 'text/css; charset=utf-8'],
  ['.ts', 'text/javascript; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
]);

function findMediaType(name: string): string {
  const type = TYPES.get(extname(name));
  if (!type) throw new Error(`${name} is of no kind that the platform serves to browsers`);
  return type;
}

/**
 * Serves an app. Pages address their files and the API relative to themselves, so that a proxy may put the platform below a prefix. Files
 * are found in the list of the folder, so no request can reach a file outside of it.
 */
export function webAppRoutes(app: FastifyInstance, count: CountVisit, webApp: WebApp): void {
  const { name, path, build } = webApp;
  const options = { config: { access: 'public' }, onRequest: count };
  if (build !== undefined) {
    const answer = answerFromBuild(webApp, build);
    app.get(path, options, answer);
    app.get(`${path}/*`, { ...options, onRequest: countPages(count) }, answer);
    return;
  }
  const headers = pageHeaders(webApp);
  for (const file of readdirSync(sourceFolder(name)).filter((each) => !each.endsWith('.test.ts'))) {
    const serve = createAssetSender(findMediaType(file), () => readSource(name, file), headers);
    app.get(file === PAGE ? path : `${path}/${file.replace(/\.ts$/, '.js')}`, options, serve);
  }
}

const sourceFolder = (name: string): string => join(import.meta.dirname, '../../../web', name);

/** Reads a file of web/<name> in the form that browsers understand. */
function readSource(name: string, file: string): string | Buffer {
  const bytes = readFileSync(join(sourceFolder(name), file));
  return extname(file) === '.ts' ? asJavaScript(bytes.toString()) : bytes;
}

/**
 * Counts the visits of pages. The files of a build that browsers keep for ever are not counted: they are answered from memory, which costs no
 * more than a refusal, and a page that gets only some of them stays blank. An office may open the console at the same moment.
 */
const countPages =
  (count: CountVisit): CountVisit =>
  async (request, reply) => {
    const [asked = ''] = request.url.split('?', 1);
    if (!HASHED.test(asked)) await count(request, reply);
  };

// All files of a build stay in memory. An app that loads fast has a tenth of this.
const MAX_BUILD_BYTES = 16 * 1024 * 1024;
// esbuild puts eight letters and digits of a file's hash into its name, so that other content gets another name.
const HASHED = /[-.][A-Z0-9]{8}\.\w+$/;
const HASHED_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' };
// An app has no address with more parts than this below its path.
const MAX_DEPTH = 8;

/**
 * Answers requests for an app that has to be built. Addresses that name no file get the page, because the app's own router shows what
 * belongs there. The build may be written while the process runs; until then, a page says that it is missing.
 */
function answerFromBuild(webApp: WebApp, findFolder: () => string): RouteHandlerMethod {
  const { name, path, findPolicy = anyAddress } = webApp;
  const makeHeaders = (policy: Policy) =>
    pageHeaders({ ...webApp, policy: { 'base-uri': "'self'", ...webApp.policy, ...policy } });
  const open = keepResult(async () => loadBuild(findFolder(), path, makeHeaders({})));
  return async (request, reply) => {
    const build = await open().catch(ignoreMissing);
    const { '*': address = '' } = request.params as { '*'?: string };
    const [asked = ''] = request.url.split('?', 1);
    if (!build) {
      const isScript = address.endsWith(RELOADER);
      return reply
        .code(isScript ? 200 : 503)
        .headers({ ...makeHeaders({}), 'cache-control': 'no-store', 'retry-after': '2' })
        .type(findMediaType(isScript ? RELOADER : PAGE))
        .send(isScript ? RELOAD : renderMissingBuild(name, path, countSlashes(asked) - countSlashes(path)));
    }
    const file = build.files.get(address);
    if (file) return file(request, reply);
    // An address that ends like a file is missing when there is none: a browser could not use the page in its place.
    const page = TYPES.has(extname(address)) ? undefined : build.pages[countSlashes(asked) - countSlashes(path)];
    const policy = page && (await findPolicy(address, request.ip));
    if (!page || !policy) throw notFound();
    reply.headers(makeHeaders(policy));
    if (webApp.visited?.includes(address)) reply.header('cross-origin-opener-policy', 'unsafe-none');
    return page(request, reply);
  };
}

const anyAddress = (): Promise<Policy> => Promise.resolve({});

const countSlashes = (path: string): number => path.split('/').length - 1;

function ignoreMissing(error: NodeJS.ErrnoException): null {
  // Failure policy: a missing build is answered as such, and the next request looks for it again.
  if (error.code === 'ENOENT') return null;
  throw error;
}

interface Build {
  files: ReadonlyMap<string, SendAsset>;
  /** The page by the number of slashes that its address has after the app's path. */
  pages: SendAsset[];
}

/** Reads all files of a build, so that the answers stay the same while another build replaces them. */
async function loadBuild(folder: string, path: string, headers: Record<string, string>): Promise<Build> {
  const page = await readFile(join(folder, PAGE), 'utf8');
  const files = new Map<string, SendAsset>();
  for (const file of await listBuildFiles(folder)) {
    const content = await readFile(join(folder, file));
    const cache = HASHED.test(file) ? HASHED_HEADERS : {};
    files.set(
      file,
      createAssetSender(findMediaType(file), () => content, { ...headers, ...cache }),
    );
  }
  const pages = Array.from({ length: MAX_DEPTH + 1 }, (_, depth) =>
    createAssetSender(HTML, () => setBaseHref(page, path, depth)),
  );
  return { files, pages };
}

/** Serves one file of a build at an address of its own, for the pages of other sites to load. */
export function sharedFileRoute(app: FastifyInstance, count: CountVisit, { path, file, build }: SharedFile): void {
  const open = keepResult(async () => readFile(join(build(), file)));
  const serve = createAssetSender(findMediaType(file), open, {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300',
  });
  app.get(path, { config: { access: 'public' }, onRequest: count }, async (request, reply) => {
    // Failure policy: a build that is still being made is there at the next request.
    if (!(await open().catch(ignoreMissing)))
      return reply.code(503).headers({ 'cache-control': 'no-store', 'retry-after': '2' }).send();
    return serve(request, reply);
  });
}

interface SharedFile {
  path: string;
  /** Its name in the folder of the build. */
  file: string;
  build: () => string;
}

/** Lists the files of a build except its page, as addresses below the app's path. */
async function listBuildFiles(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_BUILD_BYTES) throw new Error(`${folder} has ${bytes} bytes, more than a build may have`);
  return paths.map((path) => relative(folder, path).replaceAll(sep, '/')).filter((file) => file !== PAGE);
}

/** Makes the relative URLs of a page start at the app's path, however deep the address is at which the page is shown. */
function setBaseHref(page: string, path: string, depth: number): string {
  const base = depth === 0 ? `${path.split('/').at(-1)}/` : './' + '../'.repeat(depth - 1);
  return page.replace('<head>', `<head><base href="${base}" />`);
}

// A page that only asked to be refreshed would stay where it is when its address has a fragment, as the link of a start has.
const RELOADER = 'reload.js';
const RELOAD = 'setTimeout(() => location.reload(), 1000);\n';

const renderMissingBuild = (name: string, path: string, depth: number): string =>
  setBaseHref(
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Not built yet</title>
    <script src="${RELOADER}"></script>
  </head>
  <body>
    <h1>The app “${name}” is not built yet</h1>
    <p>This page reloads until the build is there. If that takes longer than a minute, the log of the platform says why.</p>
  </body>
</html>
`,
    path,
    depth,
  );

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
