/** The guides and the reference of the API, in a real browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPage, startBrowser } from '../support/browser.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

test('the guides are opened at the address that the start prints, call no other host and obey the content policy', async () => {
  const { page, complaints, requests } = await openPage(browser);
  await page.goto(`${platform.url}/docs`);
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Errors' }).click();
  await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'API reference' }).first().click();
  await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor();
  await page.getByRole('link', { name: '← Guides' }).click();
  await page.getByRole('heading', { name: 'Integrate' }).waitFor();
  for (const url of requests) assert.equal(new URL(url).origin, platform.url);
  assert.deepEqual(complaints, []);
});

test('code is copied by one press, and none of it is outside of its frame in a window of 1280 pixels', async () => {
  const { page, complaints } = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${platform.url}/docs/tour`);
  const block = page.locator('.code', { hasText: 'send-text' });
  await block.getByRole('button').click();
  await block.getByText('Copied').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.equal(copied, await block.locator('pre').textContent());
  for (const path of ['/tour', '/authentication', '/events', '/sdk']) {
    await page.goto(`${platform.url}/docs${path}`);
    await page.locator('.code').first().waitFor();
    const cut = await page.evaluate(
      "[...document.querySelectorAll('pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length",
    );
    assert.equal(cut, 0, path);
  }
  assert.deepEqual(complaints, []);
});

describe('the search', () => {
  test('"signature", "docker", "send a message" and "retry" lead to the right place first', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${platform.url}/docs`);
    for (const [asked, address] of [
      ['signature', /\/docs\/events#no-signature/],
      ['docker', /\/docs\/deploying/],
      ['send a message', /\/docs\/messages#send-a-message$/],
      ['retry', /\/docs\/authentication#idempotency-key$/],
    ] as const) {
      await page.getByRole('combobox').fill('');
      await page.getByRole('combobox').fill(asked);
      const first = page.getByRole('option').first();
      await first.waitFor();
      assert.match((await first.getAttribute('href')) ?? '', address, asked);
    }
    assert.deepEqual(complaints, []);
  });

  test('the search finds an error by its code, with the keyboard alone', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${platform.url}/docs/decisions/0006-ids`);
    await page.keyboard.press('/');
    await page.keyboard.type('unknown_reference');
    await page.getByRole('option', { name: /^UNKNOWN_REFERENCE/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${platform.url}/docs/errors#UNKNOWN_REFERENCE`);
    assert.deepEqual(complaints, []);
  });

  test('the search finds an operation, and shows a message when it finds nothing', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${platform.url}/docs`);
    await page.getByRole('combobox').fill('send-text');
    await page
      .getByRole('option', { name: /^Send a text/ })
      .first()
      .click();
    await page.waitForURL(/\/docs\/api\/messages#postMessagesSendText$/);
    await page.goto(`${platform.url}/docs/events`);
    await page.getByRole('combobox').fill('xyzzy');
    await page.getByText('Nothing found for “xyzzy”').waitFor();
  });
});

test('the menu shows the entry of the current page, however long it is', async () => {
  const { page } = await openPage(browser, { viewport: { width: 1280, height: 600 } });
  await page.goto(`${platform.url}/docs/guarantees/web-chat`);
  const entry = page.locator('.menu [aria-current]');
  await page.waitForFunction(`document.querySelector('.menu').scrollTop > 0`);
  const { y = 0 } = (await entry.boundingBox()) ?? {};
  assert.ok(y > 60 && y < 600, String(y));
  assert.equal(await page.evaluate('scrollY'), 0);
});

test('no guide scrolls sideways on a phone, and the menu is folded', async () => {
  const { page, complaints } = await openPage(browser, PHONE);
  for (const path of [
    '/api',
    '/api/messages',
    '',
    '/authentication',
    '/errors',
    '/events',
    '/scopes',
    '/guarantees',
    '/guarantees/security',
    '/recipes',
    '/benchmarks',
    '/decisions/0012-limits',
  ]) {
    await page.goto(`${platform.url}/docs${path}`);
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.equal(wide, 0, path);
  }
  const errors = page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Errors' });
  assert.equal(await errors.isVisible(), false);
  await page.locator('summary').click();
  await errors.click();
  await page.waitForURL(`${platform.url}/docs/errors`);
  assert.deepEqual(complaints, []);
});

test('"Try it" of the reference asks for the key where it is opened, and keeps what was typed', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${platform.url}/docs/api/contacts`);
  const key = page.getByLabel('Your API key');
  for (const [operation, typed] of [
    ['deleteContactsById', 'first'],
    ['postContacts', 'second'],
  ] as const) {
    const section = page.locator('.operation', { has: page.locator(`#${operation}`) });
    await section.getByText('Try it').click();
    const own = section.locator('details.try').getByLabel('Your API key');
    await own.waitFor();
    assert.equal(await own.inputValue(), operation === 'postContacts' ? 'first' : '');
    await own.fill(typed);
    assert.equal(await key.count(), 1);
  }
});

test('the reference is filtered, shows an operation, sends its request with the key of the reader, and keeps old addresses', async () => {
  const { page, complaints, requests } = await openPage(browser);
  await page.goto(`${platform.url}/docs/api`);
  await page.getByRole('searchbox', { name: 'Filter' }).fill('post contacts merge');
  await page.getByRole('link', { name: '/v1/contacts/{id}/merge' }).waitFor();
  assert.equal(await page.locator('.operations li:visible').count(), 1);
  await page.goto(`${platform.url}/docs/api#/contacts/postContacts`);
  await page.waitForURL(`${platform.url}/docs/api/contacts#postContacts`);
  await page.getByLabel('Your API key').fill(platform.demo.key);
  const section = page.locator('.operation', { has: page.locator('#postContacts') });
  await section.getByText('Try it').click();
  await section.getByLabel('Body').fill('{"name":"Rosa Prado"}');
  await section.getByRole('button', { name: 'Send the request' }).click();
  await section.getByText('201 Created').waitFor();
  await section.getByText('"name": "Rosa Prado"').waitFor();
  for (const url of requests) assert.equal(new URL(url).origin, platform.url);
  assert.deepEqual(complaints, []);
});
