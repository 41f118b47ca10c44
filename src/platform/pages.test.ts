/** The platform's web pages: their headers, and which files of a folder are served. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { createServer } from './http.ts';
import { pageRoutes } from './pages.ts';
import { describeApi } from './service.ts';
import { createLog, createMetrics } from './telemetry.ts';

const app = createServer(createLog('silent'), createMetrics());
await describeApi(app);
const uncounted = async (): Promise<void> => undefined;
pageRoutes(app, uncounted, '/set-password', 'set-password');
await app.ready();
after(() => app.close());

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

describe('a page of the platform', () => {
  for (const url of ['', '/page.css', '/page.js', '/texts.js', '/icon.svg'].map((name) => `/set-password${name}`)) {
    test(`${url} loads and calls only the platform, can not be framed, and sends no referrer`, async () => {
      const { statusCode, headers } = await app.inject({ url });
      assert.equal(statusCode, 200);
      assert.equal(headers['content-security-policy'], CSP);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.match(String(headers['permissions-policy']), /camera=\(\), microphone=\(\)/);
      assert.equal(headers['cache-control'], url === '/set-password' ? 'no-store' : 'no-cache');
    });
  }

  test('a page has no inline code and no absolute URLs', async () => {
    const { body, headers } = await app.inject({ url: '/set-password' });
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.doesNotMatch(body, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    assert.doesNotMatch(body, /https?:|\/\//);
  });

  test('TypeScript files of a page are served as JavaScript without types, with .js imports', async () => {
    const { body, headers } = await app.inject({ url: '/set-password/page.js' });
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.match(body, /from '\.\/texts\.js'/);
    assert.doesNotMatch(body, /\.ts'|interface |: string/);
  });

  test('a page serves the files of its folder and nothing else', async () => {
    const root = new URL('../../web/set-password/', import.meta.url);
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

  test('pages are not part of the OpenAPI document', () => {
    assert.doesNotMatch(JSON.stringify(app.swagger()), /set-password/);
  });

  test('the process does not start when the folder of a page is missing', () => {
    assert.throws(() => pageRoutes(app, uncounted, '/nowhere', 'nowhere'), /ENOENT/);
  });
});
