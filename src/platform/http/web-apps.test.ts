/** The apps of web/: their headers, which files of a folder are served, and apps that have to be built. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import type { CountVisit } from './access.ts';
import { createServer } from './http.ts';
import { describeApi } from './service.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';
import { sharedFileRoute, webAppRoutes, type WebApp } from './web-apps.ts';

/** The addresses whose requests were counted against the limit of their caller. */
const counted: string[] = [];
const count: CountVisit = async ({ url }) => void counted.push(url);

async function serve(...webApps: WebApp[]) {
  const app = createServer(createLog('silent'), createMetrics());
  await describeApi(app);
  for (const webApp of webApps) webAppRoutes(app, count, webApp);
  await app.ready();
  return app;
}

const app = await serve({ name: 'set-password', path: '/set-password' });
after(() => app.close());

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; media-src 'none'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

describe('an app that is served from web/', () => {
  for (const url of ['', '/page.css', '/page.js', '/texts.js', '/icon.svg'].map((name) => `/set-password${name}`)) {
    test(`${url} loads and calls only the platform, cannot be framed, sends no referrer, and is revalidated`, async () => {
      const { statusCode, headers } = await app.inject({ url });
      assert.equal(statusCode, 200);
      assert.equal(headers['content-security-policy'], CSP);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.match(String(headers['permissions-policy']), /camera=\(\), microphone=\(\)/);
      assert.equal(headers['cache-control'], 'no-cache');
      const again = await app.inject({ url, headers: { 'if-none-match': `"old", ${String(headers['etag'])}` } });
      assert.deepEqual([again.statusCode, again.body], [304, '']);
    });
  }

  test('a page has no inline code and no absolute URLs', async () => {
    const { body, headers } = await app.inject({ url: '/set-password' });
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.doesNotMatch(body, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    assert.doesNotMatch(body, /https?:|\/\//);
  });

  test('TypeScript files are served as JavaScript without types, with .js imports', async () => {
    const { body, headers } = await app.inject({ url: '/set-password/page.js' });
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.match(body, /from '\.\/texts\.js'/);
    assert.doesNotMatch(body, /\.ts'|interface |: string/);
  });

  test('the files of the folder are served and nothing else', async () => {
    const root = new URL('../../../web/set-password/', import.meta.url);
    const served = readdirSync(root).map((name) => name.replace(/\.ts$/, '.js'));
    assert.deepEqual(served.toSorted(), ['icon.svg', 'page.css', 'page.html', 'page.js', 'texts.js']);
    for (const url of [
      '/set-password/',
      '/set-password/page.ts',
      '/set-password/page.html',
      '/set-password/..%2ftsconfig.json',
      '/set-password/%2e%2e/tsconfig.json',
      '/web/set-password/page.html',
    ]) {
      assert.equal((await app.inject({ url })).statusCode, 404, url);
    }
  });

  test('a page and its files take GET and HEAD only', async () => {
    for (const url of ['/set-password', '/set-password/page.css']) {
      const whole = await app.inject({ url });
      const head = await app.inject({ method: 'HEAD', url });
      assert.deepEqual([head.statusCode, head.body], [200, '']);
      for (const name of ['content-length', 'etag', 'content-type'])
        assert.equal(head.headers[name], whole.headers[name]);
      const { statusCode, headers } = await app.inject({ method: 'POST', url });
      assert.deepEqual([statusCode, headers['allow']], [405, 'GET, HEAD, OPTIONS']);
    }
  });

  test('pages are not part of the OpenAPI document', () => {
    assert.doesNotMatch(JSON.stringify(app.swagger()), /set-password/);
  });

  test('the process does not start when the folder of an app is missing', async () => {
    await assert.rejects(serve({ name: 'nowhere', path: '/nowhere' }), /ENOENT/);
  });
});

const PAGE = '<!doctype html><html><head><script type="module" src="main-ABCD2345.js"></script></head></html>';
const CHUNK = 'assets/chunk-QWER7890.js';

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-build-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function writeBuild(folder: string, files: Record<string, string | Buffer> = {}): Promise<void> {
  const all = { 'page.html': PAGE, 'main-ABCD2345.js': 'export {};', 'logo.svg': '<svg></svg>', ...files };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** Serves a build at /app, and returns the folder in which the build lies. */
async function serveBuild(
  t: TestContext,
  files?: Record<string, string | Buffer>,
  options: Pick<WebApp, 'policy' | 'findPolicy'> = {},
) {
  const parent = await makeFolder(t);
  const build = join(parent, 'build');
  if (files) await writeBuild(build, files);
  const server = await serve({ name: 'built', path: '/app', build: () => build, ...options });
  t.after(() => server.close());
  return { server, build };
}

describe('an app that has to be built', () => {
  test('files with a hash in their name are kept by browsers for good, and all others are revalidated', async (t) => {
    const { server } = await serveBuild(t, { [CHUNK]: 'export const x = 1;' });
    for (const name of ['main-ABCD2345.js', CHUNK]) {
      const { statusCode, headers } = await server.inject(`/app/${name}`);
      assert.equal(statusCode, 200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    }
    for (const url of ['/app', '/app/logo.svg']) {
      const { headers } = await server.inject(url);
      assert.equal(headers['cache-control'], 'no-cache');
      const again = await server.inject({ url, headers: { 'if-none-match': String(headers['etag']) } });
      assert.equal(again.statusCode, 304);
    }
  });

  test('visits of pages are counted, and files that browsers keep for good are not', async (t) => {
    const { server } = await serveBuild(t, {});
    counted.length = 0;
    const urls = ['/app', '/app/inbox', '/app/logo.svg', '/app/main-ABCD2345.js', '/app/inbox?file=main-ABCD2345.js'];
    for (const url of urls) assert.equal((await server.inject(url)).statusCode, 200);
    assert.deepEqual(
      counted,
      urls.filter((url) => url !== '/app/main-ABCD2345.js'),
    );
  });

  test('a file that compression would make larger is sent as it is', async (t) => {
    const picture = Buffer.from('89504e470d0a1a0a', 'hex');
    const { server } = await serveBuild(t, { 'dot.png': picture, 'long.css': 'a{color:red}'.repeat(1_000) });
    const headers = { 'accept-encoding': 'br, gzip' };
    const small = await server.inject({ url: '/app/dot.png', headers });
    assert.equal(small.headers['content-encoding'], undefined);
    assert.ok(small.rawPayload.equals(picture));
    assert.equal((await server.inject({ url: '/app/long.css', headers })).headers['content-encoding'], 'br');
  });

  test("every address of the app's own router shows the page, whose relative URLs start at the app's path", async (t) => {
    const { server } = await serveBuild(t, {});
    for (const path of ['', '/', '/inbox', '/contacts/ana@example.com', '/a/b/c?tab=1', '/a//b', '/a%2Fb/']) {
      const { statusCode, body } = await server.inject(`/app${path}`);
      assert.equal(statusCode, 200, path);
      const [, base = ''] = /<head><base href="([^"]+)" \/>/.exec(body) ?? [];
      assert.equal(new URL(base, `http://host/prefix/app${path}`).href, 'http://host/prefix/app/', path);
    }
    assert.equal((await server.inject(`/app${'/a'.repeat(9)}`)).statusCode, 404);
    assert.equal((await server.inject('/apple')).statusCode, 404);
  });

  test('a file that the build does not have is missing, and no request reaches a file outside of the folder', async (t) => {
    const { server, build } = await serveBuild(t, {});
    await writeFile(join(dirname(build), 'secret.json'), '{}');
    for (const path of [
      'main-OLDER234.js',
      'page.html',
      '../secret.json',
      '%2e%2e/secret.json',
      '..%2fsecret.json',
      '..%5csecret.json',
      '/etc/hosts.css',
      '__proto__.js',
    ]) {
      const { statusCode, headers } = await server.inject(`/app/${path}`);
      assert.deepEqual([statusCode, headers['content-type']], [404, 'application/problem+json'], path);
    }
  });

  test('the page takes GET and HEAD only', async (t) => {
    const { server } = await serveBuild(t, {});
    for (const url of ['/app', '/app/inbox', '/app/logo.svg']) {
      const head = await server.inject({ method: 'HEAD', url });
      assert.deepEqual([head.statusCode, head.body], [200, '']);
      const { statusCode, headers } = await server.inject({ method: 'DELETE', url });
      assert.deepEqual([statusCode, headers['allow']], [405, 'GET, HEAD, OPTIONS']);
    }
  });

  test('an app can be framed by other sites only when its policy says so', async (t) => {
    const { server: closed } = await serveBuild(t, {});
    const { headers: refusing } = await closed.inject('/app');
    assert.match(String(refusing['content-security-policy']), /base-uri 'self'; .*frame-ancestors 'none'$/);
    assert.equal(refusing['x-frame-options'], 'DENY');
    const { server: open } = await serveBuild(t, {}, { policy: { 'frame-ancestors': '*' } });
    for (const url of ['/app', '/app/logo.svg']) {
      const { headers } = await open.inject(url);
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors \*$/);
      assert.equal(headers['x-frame-options'], undefined);
    }
  });

  test('an app can decide for each address which sites may frame its page, and where it has none', async (t) => {
    const sites = new Map([['one', 'https://one.example']]);
    const { server } = await serveBuild(
      t,
      { 'logo.svg': '<svg></svg>' },
      {
        findPolicy: async (address) => {
          const site = sites.get(address);
          return site === undefined ? null : { 'frame-ancestors': site };
        },
      },
    );
    const { headers } = await server.inject('/app/one');
    assert.match(String(headers['content-security-policy']), /frame-ancestors https:\/\/one\.example$/);
    assert.equal(headers['x-frame-options'], undefined);
    assert.equal((await server.inject('/app/other')).statusCode, 404);
    assert.equal((await server.inject('/app')).statusCode, 404);
    assert.equal((await server.inject('/app/logo.svg')).statusCode, 200);
    // A site that is taken off the list may not frame what a browser has kept.
    sites.set('one', 'https://two.example');
    const again = await server.inject({ url: '/app/one', headers: { 'if-none-match': String(headers['etag']) } });
    assert.equal(again.statusCode, 304);
    assert.match(String(again.headers['content-security-policy']), /frame-ancestors https:\/\/two\.example$/);
  });

  test('one file of a build can be loaded by the pages of all sites, once the build is there', async (t) => {
    const folder = await makeFolder(t);
    const build = join(folder, 'build');
    const server = createServer(createLog('silent'), createMetrics());
    sharedFileRoute(server, count, { path: '/shared.js', file: 'shared.js', build: () => build });
    t.after(() => server.close());
    const missing = await server.inject('/shared.js');
    assert.deepEqual([missing.statusCode, missing.headers['cache-control']], [503, 'no-store']);
    await writeBuild(build, { 'shared.js': 'let a;' });
    const { statusCode, headers, body } = await server.inject('/shared.js');
    assert.deepEqual([statusCode, body], [200, 'let a;']);
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.match(String(headers['cache-control']), /max-age=300/);
  });

  test('until the build is there, a page says that it is missing; afterwards the app is served without a restart', async (t) => {
    const { server, build } = await serveBuild(t);
    for (const url of ['/app', '/app/inbox/1', '/app/main-ABCD2345.js']) {
      const { statusCode, headers, body } = await server.inject(url);
      assert.deepEqual([statusCode, headers['retry-after'], headers['cache-control']], [503, '2', 'no-store']);
      assert.match(body, /“built” is not built yet/);
      const [, base, script] = /<base href="([^"]*)" \/>[^]*<script src="([^"]*)">/.exec(body) ?? [];
      const reloads = await server.inject(new URL(`${base}${script}`, `http://parley${url}`).pathname);
      assert.deepEqual([reloads.statusCode, /location\.reload\(\)/.test(reloads.body)], [200, true]);
    }
    await writeBuild(`${build}.new`);
    await rename(`${build}.new`, build);
    assert.equal((await server.inject('/app/main-ABCD2345.js')).statusCode, 200);
    // The files stay in memory, so a page goes well with its files while another build replaces them.
    await rm(build, { recursive: true });
    for (const url of ['/app', '/app/logo.svg']) assert.equal((await server.inject(url)).statusCode, 200);
  });

  test('a build that is too large to be kept in memory, or has a file of an unknown kind, is not served', async (t) => {
    for (const files of [{ 'large.json': Buffer.alloc(16 * 1024 * 1024) }, { 'notes.txt': '' }]) {
      const { server } = await serveBuild(t, files);
      assert.equal((await server.inject('/app')).statusCode, 500);
    }
  });
});
