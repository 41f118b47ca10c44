/** What is new in the console: marking as unread, and where the new messages of a thread are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { orderAtTop, sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const browser = await startBrowser();
const { call } = platform;

const countUnread = async (id: string): Promise<number> =>
  (await call(200, 'GET', `/v1/conversations/${id}`)).body.unread_count;
const awaitUnread = (id: string, count: number): Promise<unknown> =>
  waitUntil(`${count} unread`, async () => (await countUnread(id)) === count);
const row = (page: Page, id: string) => page.locator(`[data-conversation="${id}"]`);

test('a conversation that is marked as unread is left and stays unread, also where a colleague looks at it', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Maria Silva', text: 'Tem bolo?' });
  const { conversation: next } = await writeAsContact(platform, { name: 'Rui Costa', text: 'Oi' });
  const { _id } = conversation;
  await orderAtTop(platform, [_id, next._id]);
  const path = `/inbox/all/${_id}`;
  const mine = await openConsole(platform, browser, { path });
  await awaitUnread(_id, 0);
  // The colleague comes when it is read, so that no request to mark it as read is still under way.
  const theirs = await openConsole(platform, browser, { path });
  await theirs.page.getByRole('log').getByText('Tem bolo?', { exact: true }).waitFor();
  const shown = (page: Page) => row(page, _id).getByText('1', { exact: true });
  assert.equal(await shown(theirs.page).count(), 0);
  await mine.page.locator('header').getByRole('button', { name: 'More' }).first().click();
  await mine.page.getByRole('menuitem', { name: 'Mark as unread' }).click();
  await mine.page.waitForURL('**/inbox/all');
  for (const { page } of [mine, theirs]) await shown(page).waitFor();
  assert.equal(await countUnread(_id), 1);
  assert.deepEqual(await findBarriers(mine.page), []);

  // The keys go on from the row that was left.
  await mine.page.keyboard.press('j');
  await mine.page.waitForURL(`**/${next._id}`);
  await awaitUnread(next._id, 0);
  await mine.page.keyboard.press('u');
  await mine.page.waitForURL('**/inbox/all');
  await awaitUnread(next._id, 1);
  assert.equal(await countUnread(_id), 1);

  // A new message is read by the colleague who looks at it.
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Alô?' });
  await awaitUnread(_id, 0);
  for (const { complaints, close } of [mine, theirs]) {
    assert.deepEqual(complaints(), []);
    await close();
  }
});

test('the first unread message is marked, and the messages that arrive while older ones are read are counted', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Eva Prado', text: 'Oi' });
  const from = contact.phone_number.slice(1);
  const { _id } = conversation;
  for (let n = 0; n < 30; n += 1) await sendText(platform, _id, { content: `Line ${n}` });
  for (const text of ['First unread', 'Second unread']) await writeAsContact(platform, { from, text });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${_id}` });
  const log = page.getByRole('log');
  const line = page.locator('li').filter({ has: page.getByText('New', { exact: true }) });
  await line.waitFor();
  await awaitUnread(_id, 0);
  const below = page.locator('li').filter({ hasText: 'First unread' });
  assert.equal(Number(await below.getAttribute('data-index')), Number(await line.getAttribute('data-index')) + 1);

  await log.hover();
  await page.mouse.wheel(0, -1_200);
  await page.getByRole('button', { name: 'Go to the newest messages' }).waitFor();
  await sendText(platform, _id, { content: 'Ours is not counted' });
  for (const text of ['Another', 'And another']) await writeAsContact(platform, { from, text });
  const pill = page.getByRole('button', { name: '2 new messages' });
  await pill.waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await pill.click();
  await page.getByText('And another', { exact: true }).last().waitFor();
  await pill.waitFor({ state: 'detached' });
  assert.equal(await line.count(), 1);
  assert.deepEqual(complaints(), []);
  await close();
});
