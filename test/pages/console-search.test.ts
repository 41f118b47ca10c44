/** The search of the inbox finds people and what was written, and opens a conversation where it was written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole, waitForSent } from '../support/console.ts';
import {
  buildMessageNotification,
  connectPhone,
  makePhoneNumber,
  openNetwork,
  secondsAgo,
} from '../support/network.ts';
import { startPlatform } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const network = await openNetwork(platform);

test('a message that is found opens its conversation there, however far up it is', async () => {
  const phone = await connectPhone(platform);
  const from = makePhoneNumber();
  const messages = Array.from({ length: 130 }, (_, index) => ({
    from,
    timestamp: secondsAgo(1_000 - index),
    type: 'text',
    text: { body: index === 2 ? 'Pelo caminho da Ferrovía' : `Mensagem ${index}` },
  }));
  await network.post(200, buildMessageNotification(phone, ...messages));
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('ferrovi');
  await page.getByRole('link', { name: /Pelo caminho da Ferrovía/ }).click();
  const found = page.locator('[data-wanted] article');
  await found.getByText('Pelo caminho da Ferrovía').waitFor();
  const box = await found.boundingBox();
  assert.ok(box && box.y > 60 && box.y + box.height < 700, 'the message is in view');
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Seen');
  await page.keyboard.press('Enter');
  await waitForSent(page.getByRole('article').filter({ hasText: 'Seen' }));
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation that is opened at an old message is unread until its end is in view', async () => {
  const { conversation, contact } = await writeAsContact(platform, { text: 'Pergunta antiga sobre jabuticaba' });
  for (let count = 0; count < 30; count += 1)
    await writeAsContact(platform, { from: contact.phone_number.slice(1), text: `Mais ${count}` });
  const { page, calls, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const reads = (): string[] => calls().filter((each) => each.endsWith(`/${conversation._id}/read`));
  const search = page.getByRole('searchbox', { name: 'Search people and messages' });
  await search.fill('jabuticaba');
  await page.getByRole('link', { name: /jabuticaba/ }).click();
  await page.locator('[data-wanted] article').waitFor();
  const down = page.getByRole('button', { name: 'To the newest messages' });
  await down.waitFor();
  // A message that arrives meanwhile is not read either.
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Mais uma' });
  await search.fill('');
  await page.getByLabel('32 unread').waitFor();
  assert.deepEqual(reads(), []);
  await down.click();
  await waitUntil('the conversation to be read', () => reads().length > 0);
  // A short one is in view as a whole.
  const short = await writeAsContact(platform, { text: 'Uma goiaba' });
  await search.fill('goiaba');
  await page.getByRole('link', { name: /goiaba/ }).click();
  await waitUntil('the short one to be read', () =>
    calls().some((each) => each.includes(short.conversation._id) && each.endsWith('/read')),
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('the results of a search stay what they are when a person of that name writes', async () => {
  await writeAsContact(platform, { name: 'Olga Reis', text: 'Uma pitanga' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const search = page.getByRole('searchbox', { name: 'Search people and messages' });
  await search.fill('pitanga');
  const hits = page.getByRole('button', { name: 'All messages 1', pressed: true });
  await hits.waitFor();
  await writeAsContact(platform, { name: 'Rosa Pitanga', text: 'Oi' });
  await page.getByRole('button', { name: 'Conversations 1' }).waitFor();
  assert.ok(await hits.isVisible());
  // Another text is another search.
  await search.fill('Rosa Pitanga');
  await page.getByRole('button', { name: 'Conversations 1', pressed: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a search hides a conversation that it no longer finds, and shows one that it finds only now', async () => {
  const { contact } = await writeAsContact(platform, { name: 'Livia Prado', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('Livia');
  const found = page.getByRole('link', { name: /Livia/ });
  await found.waitFor();
  await platform.call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: 'Helena Prado' } });
  await page.getByText('No conversation here').waitFor();
  await writeAsContact(platform, { name: 'Livia Nunes', text: 'Oi' });
  await found.waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation that is closed leaves the results of a search among the open ones', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Searched Person', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('Searched');
  const row = page.getByRole('link', { name: /Searched Person/ });
  await page.getByRole('button', { name: 'Conversations 1' }).waitFor();
  await row.waitFor();
  await platform.call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(complaints(), []);
  await close();
});
