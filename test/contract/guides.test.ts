/** The guides as they are served: all of them, with working links, and an entry for the `type` of every problem. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ERRORS } from '../../src/platform/values/errors.ts';
import { EVENT_NAMES } from '../../src/platform/store/events.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();

const files = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const paths = [
  ...files.map((name) => `/docs/${name.replace(/\.md$/, '')}`.replace(/\/README$/, '')),
  '/docs/decisions',
];

interface Page {
  headers: Headers;
  html: string;
  ids: Set<string>;
  links: URL[];
}

async function read(path: string): Promise<Page> {
  const answer = await fetch(platform.url + path);
  assert.equal(answer.status, 200, path);
  const html = await answer.text();
  return {
    headers: answer.headers,
    html,
    ids: new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)),
    links: [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, href = '']) => new URL(href, platform.url + path)),
  };
}

const pages = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));

test('every file of docs/ is a page, under the content policy of all pages', () => {
  assert.ok(pages.size > 15);
  for (const [path, { headers, html }] of pages) {
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8', path);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i, path);
    assert.equal([...html.matchAll(/<h1/g)].length, 1, path);
    assert.doesNotMatch(html, /<title> · /, path);
  }
});

test('the guides for integrators and operators are in the first part of the menu, apart from those about how the platform is built', () => {
  const menu = /<details id="menu">(.*?)<\/details>/s.exec(pages.get('/docs')?.html ?? '')?.[1] ?? '';
  const [first = ''] = menu.split('How it is built');
  const links = [...first.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.split('/').at(-1));
  assert.deepEqual([links[0], links[1], links.at(-1)], ['docs', 'tour', 'api']);
  for (const own of ['architecture', 'benchmarks', 'guarantees']) assert.ok(!links.includes(own), own);
});

test('the pages of a folder are in the menu of its own pages only', () => {
  const listsFolder = (path: string) =>
    /<nav class="menu".*?<\/nav>/s.exec(pages.get(path)?.html ?? '')?.[0].includes('All guarantees');
  for (const path of ['/docs/guarantees', '/docs/guarantees/agents']) assert.equal(listsFolder(path), true, path);
  for (const path of ['/docs', '/docs/architecture', '/docs/decisions']) assert.equal(listsFolder(path), false, path);
});

test('a link to a file outside of docs/, which is not served, is shown as its text', () => {
  const { html = '' } = pages.get('/docs/guarantees') ?? {};
  assert.match(html, /<code>outbox\.test\.ts<\/code>/);
  for (const { html: page } of pages.values()) assert.doesNotMatch(page, /<a [^>]*href="[^"]*\.(?:ts|md)"/);
});

test('a table shows line breaks, and no page shows comments or tags of its source', () => {
  assert.match(pages.get('/docs/scopes')?.html ?? '', /<\/code><br><code>/);
  for (const [path, { html }] of pages)
    assert.doesNotMatch(html.replaceAll(/<code>.*?<\/code>/gs, ''), /&lt;!--|&lt;br&gt;/, path);
});

test('code of a file is shown below the name of the file', () => {
  assert.match(pages.get('/docs/recipes')?.html ?? '', /<p class="file">src\/features\/notes\/queries\.ts<\/p>\s*<pre/);
});

test('every link of a page leads to an existing page, and to an existing section of it', async () => {
  const known = new Map<string, number>();
  for (const [path, { links }] of pages) {
    for (const link of links.filter(({ origin }) => origin === platform.url)) {
      const target = pages.get(link.pathname);
      const id = decodeURIComponent(link.hash.slice(1));
      if (target && id) assert.ok(target.ids.has(id), `${path} links to ${link.pathname}${link.hash}`);
      if (target) continue;
      const status = known.get(link.pathname) ?? (await fetch(link)).status;
      known.set(link.pathname, status);
      assert.equal(status, 200, `${path} links to ${link.pathname}`);
    }
  }
});

describe('targets of the links in answers', () => {
  test('the guides have an entry for every error code, at the address that is the `type` of its problems', async () => {
    const { ids } = pages.get('/docs/errors') ?? assert.fail();
    for (const code of Object.keys(ERRORS)) assert.ok(ids.has(code), code);
    const { body } = await platform.call(404, 'GET', `/v1/inboxes/${'0'.repeat(24)}`);
    assert.equal(body.type, '/docs/errors#NOT_FOUND');
  });

  test('the guides have a section for every event', () => {
    const { ids } = pages.get('/docs/events') ?? assert.fail();
    for (const name of EVENT_NAMES) assert.ok(ids.has(name), name);
  });
});

test('the search contains every section and every operation, each with its own address', async () => {
  const entries = (await (await fetch(`${platform.url}/docs/assets/search.json`)).json()) as Json[];
  const { paths: described } = (await platform.call(200, 'GET', '/openapi.json', { key: null })).body;
  const operations = Object.values<Json>(described).flatMap((item) => Object.keys(item));
  assert.equal(entries.filter(({ page }) => page === 'API reference').length, operations.length);
  assert.equal(new Set(entries.map(({ path }) => path)).size, entries.length);
  for (const entry of entries.filter(({ page }) => page !== 'API reference')) {
    const [path, id] = String(entry.path).split('#');
    const page = pages.get(`/docs${path ? `/${path}` : ''}`);
    assert.ok(page && (id === undefined || page.ids.has(id)), entry.path);
    assert.ok(entry.title);
  }
  const addresses = new Set(entries.map(({ path }) => path));
  const words = JSON.parse(readFileSync('docs/reference/search.json', 'utf8')) as Record<string, string>;
  for (const address of Object.keys(words)) assert.ok(addresses.has(address), `search.json: ${address}`);
});

test('llms.txt lists every page of the guides with its address, and the OpenAPI document and the MCP server', async () => {
  const answer = await fetch(`${platform.url}/docs/llms.txt`);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
  const [title, summary, ...sections] = (await answer.text()).trimEnd().split('\n\n');
  assert.equal(title, '# Parley');
  assert.match(summary ?? '', /^> \S.*\.$/);
  const items = sections.filter((section) => !section.startsWith('## ')).flatMap((list) => list.split('\n'));
  const links = items.map((item) => /^- \[.+\]\((.+?)\)(?:: \S.*)?$/.exec(item)?.[1] ?? assert.fail(item));
  const listed = links.map((link) => new URL(link, answer.url).pathname);
  assert.deepEqual(listed.toSorted(), [...paths, '/docs/api', '/mcp', '/openapi.json'].toSorted());
});

test('an address without a page shows a browser a page that says so, and answers programs with a problem', async () => {
  for (const path of ['/docs/nonexist', '/docs/api/nonexist', '/docs/a/b/c']) {
    const shown = await fetch(platform.url + path, { headers: { accept: 'text/html' } });
    assert.equal(shown.status, 404, path);
    const html = await shown.text();
    assert.match(html, /<h1>Page not found<\/h1>/);
    for (const [, href = ''] of html.matchAll(/\s(?:href|src)="([^"#][^"]*)"/g)) {
      const answer = await fetch(new URL(href, platform.url + path));
      assert.equal(answer.status, 200, `${path} links to ${href}`);
      await answer.arrayBuffer();
    }
    const problem = (await (await fetch(platform.url + path)).json()) as Json;
    assert.equal(problem.code, 'NOT_FOUND');
  }
});

test('old addresses redirect to the current ones', async () => {
  for (const [path, target] of [
    ['/docs/', '/docs'],
    ['/docs/api/', '/docs/api'],
    ['/docs/llms.txt', '/llms.txt'],
    ['/docs/json', '/openapi.json'],
    ['/docs/yaml', '/openapi.json'],
  ] as const) {
    const answer = await fetch(platform.url + path);
    assert.deepEqual([answer.status, new URL(answer.url).pathname], [200, target], path);
    await answer.arrayBuffer();
  }
});

test('the first page leads to the console', async () => {
  const answer = await fetch(platform.url, { redirect: 'manual' });
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, 'console']);
});
