/** The journeys of somebody who chats with a company on its site, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openPage, startBrowser } from '../support/browser.ts';
import { makePng } from '../support/media-samples.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';
import { composeButtons, prove, sendAsAgent } from '../support/web-chat.ts';
import { followShop } from '../support/shop-page.ts';
import { answerVisitor, findReceived, openShop, startShop } from '../support/widget.ts';

const platform = await startPlatform();
const { call } = platform;
const browser = await startBrowser({ hasMicrophone: true });
const shop = await startShop(platform, {
  config: { title: 'Bakery', welcome_text: 'Good morning!', quick_replies: ['Opening hours'], color: '#0b7a5e' },
});

test('a visitor writes on the site of a company, is answered there at once, and finds the chat again after a reload', async () => {
  const { page, chat, openChat, write, waitFor, texts, complaints, launcher, close } = await openShop(browser, shop);
  await openChat();
  await chat.getByRole('heading', { name: 'Bakery' }).waitFor();
  await chat.getByText('Good morning!').waitFor();
  await chat.getByRole('button', { name: 'Opening hours' }).click();
  await write('And on Sunday?');
  const received = await findReceived(platform, 'And on Sunday?');
  assert.equal(received.sender_type, 'CONTACT');
  await chat.getByText('Sent').waitFor();
  await call(201, 'POST', `/v1/conversations/${received.conversation}/typing`, { body: { state: 'TYPING' } });
  await chat.getByText(/typing/).waitFor();
  await answerVisitor(platform, received, 'From six to noon, see https://bakery.example/hours.');
  await waitFor('From six to noon');
  await chat.getByText(/typing…/).waitFor({ state: 'detached' });
  const link = chat.getByRole('link', { name: 'https://bakery.example/hours' });
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
  // The company sees that the visitor has read it, and the visitor sees the same of the company.
  const statuses = async () => (await call(200, 'GET', '/v1/messages?limit=100')).body.result as Json[];
  await waitUntil('the read mark', async () => (await statuses()).find(({ status }) => status === 'READ'));
  await call(200, 'PUT', `/v1/conversations/${received.conversation}/read`);
  await chat.getByText('Seen').waitFor();

  await page.reload();
  await launcher.click();
  await waitFor('From six to noon');
  assert.deepEqual(await texts(), [
    'Opening hours',
    'And on Sunday?',
    'From six to noon, see https://bakery.example/hours.',
  ]);
  assert.equal(await chat.getByRole('button', { name: 'Opening hours' }).count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test('an answer that arrives while the chat is closed is counted at the launcher, also on the next page', async () => {
  const { page, openChat, write, waitFor, launcher, close } = await openShop(browser, shop);
  await openChat();
  await write('Are you there?');
  const received = await findReceived(platform, 'Are you there?');
  await waitFor('Are you there?');
  await launcher.click();
  await answerVisitor(platform, received, 'Yes');
  await page.getByRole('button', { name: 'Open the chat, 1 unread message' }).waitFor();
  await page.goto(`${shop.origin}/next`);
  await page.getByRole('button', { name: 'Open the chat, 1 unread message' }).click();
  await waitFor('Yes');
  await launcher.click();
  await page.getByRole('button', { name: 'Open the chat', exact: true }).waitFor();
  await close();
});

test('the picture of who answers stands beside the name, wherever the company keeps it', async () => {
  const pictures = createServer((_request, response) => response.end(makePng(8, 8)));
  await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
  const avatar_url = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/olga.png`;
  const olga = await platform.createUser(platform.demo._id, 'OPERATOR', 'Olga Operator');
  await call(200, 'PATCH', `/v1/users/${olga._id}`, { body: { avatar_url } });
  // The page names the place of the picture in its policy as soon as the platform reads the settings again.
  await waitUntil('the policy of the page', async () => {
    const { headers } = await fetch(`${platform.url}/widget/${shop.inbox}`);
    return headers.get('content-security-policy')?.includes(new URL(avatar_url).origin);
  });
  const { chat, openChat, write, complaints, close } = await openShop(browser, shop);
  await openChat();
  await write('Who is there?');
  const { conversation: conversationId } = await findReceived(platform, 'Who is there?');
  const body = { conversationId, message: { content: 'It is me' } };
  await call(201, 'POST', '/v1/messages/send-text', { body, key: olga.token });
  await chat.getByText('Olga Operator').waitFor();
  const picture = chat.locator('.author img');
  await waitUntil('the picture', () => picture.evaluate((image: Json) => image.naturalWidth === 8));
  assert.deepEqual(complaints, []);
  await close();
  pictures.close();
});

test('an answer sounds while nobody looks at the chat, and only then', async () => {
  const { page: shopPage } = await openPage(browser, { locale: 'en-GB' });
  // Counts the tones that the pages and frames of the browser play.
  await shopPage.addInitScript(`
    globalThis.tones = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...at) { tones += 1; return start.apply(this, at); };
  `);
  const { page, openChat, write, waitFor, launcher } = followShop(shopPage);
  await page.goto(shop.origin);
  await openChat();
  await write('Is it ready?');
  const received = await findReceived(platform, 'Is it ready?');
  const countTones = async (): Promise<number> => {
    const frame = page.frames().find((each) => each.url().includes('/widget/'));
    return Number(await frame?.evaluate('tones'));
  };
  await answerVisitor(platform, received, 'Soon');
  await waitFor('Soon');
  assert.equal(await countTones(), 0);
  await launcher.click();
  await answerVisitor(platform, received, 'Now it is');
  await page.getByRole('button', { name: 'Open the chat, 1 unread message' }).waitFor();
  await waitUntil('the sound', async () => (await countTones()) === 2);
  await page.context().close();
});

test('what is written without a connection is sent once when it is back, also after a reload, and no answer is missed or doubled', async () => {
  const { page, chat, openChat, write, waitFor, texts, launcher, close } = await openShop(browser, shop);
  await openChat();
  await write('before');
  const received = await findReceived(platform, 'before');
  await waitFor('before');
  const context = page.context();
  await context.setOffline(true);
  await write('without a connection');
  await chat.getByText('Will be sent when you are online again').waitFor();
  await answerVisitor(platform, received, 'answered meanwhile');
  await context.setOffline(false);
  await waitFor('answered meanwhile');
  await findReceived(platform, 'without a connection');
  await waitUntil('one state below the newest message', async () => (await chat.getByText('Sent').count()) === 1);
  const inOrder = (await texts()).toSorted();
  assert.deepEqual(inOrder, ['answered meanwhile', 'before', 'without a connection']);

  await context.setOffline(true);
  await write('kept over a reload');
  await chat.getByText('Will be sent when you are online again').waitFor();
  await context.setOffline(false);
  await page.reload();
  await launcher.click();
  await findReceived(platform, 'kept over a reload');
  await waitFor('kept over a reload');
  const { body } = await call(200, 'GET', '/v1/messages?limit=100');
  for (const text of ['without a connection', 'kept over a reload'])
    assert.equal(body.result.filter(({ content }: Json) => content === text).length, 1);
  await close();
});

test('two tabs are one visitor with one stream, and each shows what the other one wrote', async () => {
  const first = await openShop(browser, shop);
  await first.openChat();
  const second = followShop(await first.page.context().newPage());
  await second.page.goto(shop.origin);
  await second.openChat();
  await Promise.all([first.write('from the first tab'), second.write('from the second tab')]);
  for (const text of ['from the first tab', 'from the second tab'])
    for (const tab of [first, second]) await tab.waitFor(text);
  const received = [];
  for (const text of ['from the first tab', 'from the second tab']) received.push(await findReceived(platform, text));
  assert.equal(received[0]!.conversation, received[1]!.conversation);
  await answerVisitor(platform, received[0]!, 'to both');
  for (const tab of [first, second]) await tab.waitFor('to both');
  for (const tab of [first, second]) assert.equal(new Set(await tab.texts()).size, (await tab.texts()).length);
  assert.equal(first.requests.filter((url) => url.includes('/live')).length, 1);
  // The other tab takes over the stream.
  await first.page.close();
  await answerVisitor(platform, received[0]!, 'to the last one');
  await second.waitFor('to the last one');
  await second.page.context().close();
});

test('pictures, files and what the company sends are shown, and the buttons of a message send their titles', async () => {
  const { page, chat, openChat, write, waitFor, complaints, close } = await openShop(browser, shop);
  await openChat();
  await write('Look at this');
  const received = await findReceived(platform, 'Look at this');
  const chosen = page.waitForEvent('filechooser');
  await chat.getByRole('button', { name: 'Attach files' }).click();
  await (
    await chosen
  ).setFiles([
    { name: 'cake.png', mimeType: 'image/png', buffer: makePng(40, 30) },
    { name: 'order.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') },
  ]);
  await chat.getByRole('img', { name: 'cake.png' }).waitFor();
  await chat.getByRole('link', { name: /order\.pdf/ }).waitFor();
  const location = { latitude: 41.15, longitude: -8.61, name: 'Bakery', address: 'Rua do Sol, 12', url: null };
  await sendAsAgent(platform, received.conversation, { contentType: 'LOCATION', location });
  await chat.getByRole('link', { name: 'Bakery, Rua do Sol, 12' }).waitFor();
  await sendAsAgent(platform, received.conversation, composeButtons('Which size?', ['Small', 'Large']));
  await chat.getByRole('button', { name: 'Large' }).click();
  const pressed = await findReceived(platform, 'Large');
  assert.deepEqual([pressed.contentType, pressed.interactive.id], ['INTERACTIVE', 'id Large']);
  await waitFor('Large');
  await chat.getByRole('button', { name: 'Large' }).waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
  await close();
});

test('a visitor records a voice note, which the company gets as sound; one that is cancelled is not sent', async () => {
  const opened = await openShop(browser, shop);
  const { chat, openChat, write, complaints, close } = opened;
  await openChat();
  await write('I had rather say it');
  const { conversation } = await findReceived(platform, 'I had rather say it');
  const record = async (shown: RegExp): Promise<void> => {
    await chat.getByRole('button', { name: 'Record a voice note' }).click();
    await chat.getByRole('timer').filter({ hasText: shown }).waitFor();
  };
  await record(/Recording, 0:\d\d/);
  await chat.getByRole('button', { name: 'Cancel' }).click();
  await record(/Recording, 0:(0[2-9]|[1-5]\d)/);
  await chat.getByRole('button', { name: 'Send the voice note' }).click();
  await chat.locator('audio').waitFor();
  assert.equal(await chat.locator('audio').count(), 1);
  const { body } = await call(200, 'GET', `/v1/messages/conversation/${conversation}`);
  const sounds = body.result.filter(({ contentType }: Json) => contentType === 'AUDIO');
  assert.equal(sounds.length, 1);
  assert.ok(sounds[0].media.size > 1_000);
  // The browser can play what the platform hands out.
  const error = await chat.locator('audio').evaluate(
    (audio: Json) =>
      new Promise((resolve) => {
        audio.addEventListener('canplaythrough', () => resolve(null));
        audio.addEventListener('error', () => resolve(audio.error.message));
        audio.preload = 'auto';
        audio.load();
      }),
  );
  assert.equal(error, null);
  assert.deepEqual(complaints, []);
  await close();
});

test('a person whom the site proves sees their chat in every browser, and nothing of it after a log-out', async () => {
  const identity = await prove({ sub: 'maria-7', name: 'Maria' });
  const identify = (given: string) => `window.parley.push(['identify', ${JSON.stringify(given)}])`;
  const first = await openShop(browser, shop);
  await first.launcher.waitFor();
  // The first message is written while the platform still reads the proof.
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await first.page.route('**/session', async (route) => {
    begun.resolve();
    await release.promise;
    await route.continue();
  });
  await first.page.evaluate(identify(identity));
  await first.openChat();
  await begun.promise;
  await first.write('I am Maria');
  await first.waitFor('I am Maria');
  release.resolve();
  const received = await findReceived(platform, 'I am Maria');
  await answerVisitor(platform, received, 'Hello Maria');
  await first.waitFor('Hello Maria');

  const second = await openShop(browser, shop);
  await second.launcher.waitFor();
  await second.page.evaluate(identify(identity));
  await second.openChat();
  await second.waitFor('Hello Maria');
  // Without a proof the browser belongs to nobody known.
  await second.page.reload();
  await second.openChat();
  await second.chat.getByText('Good morning!').waitFor();
  assert.deepEqual(await second.texts(), []);

  await first.page.evaluate(`window.parley.reset()`);
  await waitUntil('an empty chat', async () => (await first.texts()).length === 0);
  await first.page.evaluate(identify(await prove({ sub: 'joao-8', name: 'João' })));
  await first.write('I am João');
  const other = await findReceived(platform, 'I am João');
  assert.notEqual(other.contact, received.contact);
  assert.deepEqual(await first.texts(), ['I am João']);
  await first.close();
  await second.close();
});
