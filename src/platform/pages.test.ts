/** Pages of ours: what their answers carry, and what of the folder is served. */
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

describe('a page of ours', () => {
  for (const url of ['', '/page.css', '/page.js', '/texts.js', '/icon.svg'].map((name) => `/set-password${name}`)) {
    test(`${url} runs and calls nothing but our own, sits in no frame and tells nobody where it was opened`, async () => {
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

  test('has nothing inline and names no host', async () => {
    const { body, headers } = await app.inject({ url: '/set-password' });
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.doesNotMatch(body, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    assert.doesNotMatch(body, /https?:|\/\//);
  });

  test('is handed out as JavaScript that a browser can run: no types, modules by their .js names', async () => {
    const { body, headers } = await app.inject({ url: '/set-password/page.js' });
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.match(body, /from '\.\/texts\.js'/);
    assert.doesNotMatch(body, /\.ts'|interface |: string/);
  });

  test('serves the files of its folder and nothing else', async () => {
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

  test('is no part of the API document', () => {
    assert.doesNotMatch(JSON.stringify(app.swagger()), /set-password/);
  });

  test('that does not exist keeps the process from booting', () => {
    assert.throws(() => pageRoutes(app, uncounted, '/nowhere', 'nowhere'), /ENOENT/);
  });
});
