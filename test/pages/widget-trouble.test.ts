/** The web chat when something is missing: the platform, a stream, the storage of the browser, or the microphone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, withStage } from '../full/harness/stage.ts';
import { startBrowser } from '../support/browser.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';
import { visit, type CalledPlatform } from '../support/web-chat.ts';
import { answerVisitor, findReceived, openShop, startShop } from '../support/widget.ts';

// Half of 24 connections are for streams, and visitors may have three quarters of them.
const STREAMS_OF_VISITORS = 9;
const platform = await startPlatform({ env: { RATE_LIMIT_WEB_CHAT: '1000', CONNECTIONS: '24' } });
const browser = await startBrowser();
const shop = await startShop(platform);

test('the platform is killed while somebody writes and comes back: nothing is lost or doubled, and the order stays', () =>
  withStage({}, async (stage) => {
    const api = await stage.start('api');
    const { key } = await stage.createTenant('Bakery');
    const killed: CalledPlatform = {
      url: api.url,
      call: async (status, method, path, options = {}) => ({
        body: await call(status, method, api.url + path, { key, ...options }),
      }),
    };
    const { chat, openChat, write, texts, waitFor, close } = await openShop(browser, await startShop(killed));
    await openChat();
    await write('Good morning');
    await waitFor('Good morning');
    const received = await findReceived(killed, 'Good morning');
    const expected = ['Good morning'];
    for (let round = 1; round <= 2; round += 1) {
      // The first text is stored or not when the process dies; the others are written before it is back.
      await write(`first of round ${round}`);
      await api.kill();
      for (const text of ['second', 'third']) await write(`${text} of round ${round}`);
      await chat.getByText('Will be sent when you are online again').first().waitFor();
      await api.restart();
      await answerVisitor(killed, received, `answer ${round}`);
      expected.push(...['first', 'second', 'third'].map((text) => `${text} of round ${round}`), `answer ${round}`);
      await waitUntil('the chat to be complete', async () => (await texts()).length === expected.length);
      await waitUntil('nothing on its way', async () => (await chat.locator('.on-its-way').count()) === 0);
    }
    const { body } = await killed.call(200, 'GET', `/v1/messages/conversation/${received.conversation}?limit=100`);
    const stored = body.result.map(({ content }: Json) => content);
    assert.deepEqual(stored.toSorted(), expected.toSorted());
    const isOwn = (text: string): boolean => !text.startsWith('answer');
    const shown = await texts();
    assert.deepEqual(shown.filter(isOwn), expected.filter(isOwn));
    assert.deepEqual(shown.toSorted(), stored.toSorted());
    await close();
  }));

test('a chat that gets no stream because there are too many reads its messages all the same', async () => {
  const others = [];
  for (let opened = 0; opened < STREAMS_OF_VISITORS; opened += 1) {
    const other = await visit(platform, shop.inbox);
    await other.write('hello');
    others.push(await other.live());
  }
  const { page, chat, openChat, write, texts, close } = await openShop(browser, shop);
  const refused = page.waitForResponse((response) => response.url().endsWith('/live') && response.status() === 429);
  await openChat();
  await write('Is anybody there?');
  const received = await findReceived(platform, 'Is anybody there?');
  await refused;
  await answerVisitor(platform, received, 'Yes');
  await waitUntil('the answer', async () => (await texts()).includes('Yes'));
  assert.deepEqual(await texts(), ['Is anybody there?', 'Yes']);
  assert.equal(await chat.getByText('No connection').count(), 0);
  for (const other of others) await other.close();
  await close();
});

test('a browser that keeps nothing for other sites shows the chat all the same, and no cookie is ever set', async () => {
  const opened = await openShop(browser, { ...shop, origin: 'about:blank' });
  const { page, openChat, write, waitFor, complaints, close } = opened;
  await page.addInitScript(`
    const refuse = () => { throw new DOMException('Access is denied for this document', 'SecurityError'); };
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(globalThis, name, { get: refuse });
    globalThis.BroadcastChannel = class { constructor() { refuse(); } };
    navigator.locks.request = () => Promise.reject(new DOMException('Access is denied', 'SecurityError'));
  `);
  await page.goto(shop.origin);
  await openChat();
  await write('Without cookies');
  await answerVisitor(platform, await findReceived(platform, 'Without cookies'), 'Nobody needs them');
  await waitFor('Nobody needs them');
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(complaints, []);
  await close();
});

test('a visitor whose browser gives no microphone reads so, and writes instead', async () => {
  const { chat, openChat, write, waitFor, close } = await openShop(browser, shop);
  await openChat();
  await chat.getByRole('button', { name: 'Record a voice note' }).click();
  await chat.getByText('The browser does not allow this page to use the microphone.').waitFor();
  await write('Then in words');
  await waitFor('Then in words');
  await close();
});
