/** Starts conversations from the console. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, waitForSent } from '../support/console.ts';
import { waitUntilCopied } from '../support/network.ts';
import { startPlatform } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
await waitUntilCopied(platform, platform.demo.inbox);
const browser = await startBrowser();

test('by the keyboard alone, a template starts a conversation with a number that is no contact yet', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  const dialog = findDialog(page);
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  await page.keyboard.press('c');
  await dialog.getByRole('searchbox').and(page.locator(':focus')).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.type('(11) 98888-7001');
  await dialog.getByRole('button', { name: /Not a contact yet/ }).press('Enter');
  await dialog.getByText('WhatsApp accepts only templates').waitFor();
  assert.equal(await dialog.getByLabel('Message').count(), 0);
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Choose a template' }).press('Enter');
  await dialog
    .getByRole('button', { name: /^hello_world/ })
    .first()
    .press('Enter');
  await dialog.getByRole('button', { name: 'Send', exact: true }).focus();
  // Pressed twice, it sends once.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await waitForSent(page.getByRole('log', { name: 'Messages' }));
  const { result } = (await platform.call(200, 'GET', '/v1/contacts?search=5511988887001')).body;
  assert.equal(result.length, 1);
  const opened = (await platform.call(200, 'GET', `/v1/conversations?contact=${result[0]._id}`)).body.result;
  assert.equal(opened.length, 1);
  assert.ok(opened[0].owner, 'it belongs to who wrote it');
  const sent = (await platform.call(200, 'GET', `/v1/messages/conversation/${opened[0]._id}`)).body.result;
  assert.equal(sent.length, 1);
  assert.deepEqual(complaints(), []);
  await close();
});

test('from the page of a contact, a text continues the open conversation, which keeps its owner', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Lia Prado', text: 'Are you open?' });
  const { _id: owner } = await platform.createUser(platform.demo._id, 'OPERATOR');
  await platform.call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { owner } });
  const path = `/contacts/${conversation.contact}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  await page.getByRole('main').getByRole('button', { name: 'New conversation' }).click();
  const dialog = findDialog(page);
  await dialog.getByText('Your message continues it.').waitFor();
  await dialog.getByLabel('Message').fill('Yes, until six');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  const log = page.getByRole('log', { name: 'Messages' });
  await waitForSent(log.getByRole('article').filter({ hasText: 'Yes, until six' }));
  assert.ok(page.url().endsWith(`/inbox/all/${conversation._id}`));
  assert.equal((await platform.call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.owner, owner);
  assert.deepEqual(complaints(), []);
  await close();
});

test('without an inbox of e-mail, an e-mail address cannot be reached', async () => {
  const { page, close } = await openConsole(platform, browser, { path: '/board' });
  await page.getByRole('button', { name: 'New conversation' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('searchbox').fill('lia@example.test');
  await dialog.getByRole('button', { name: /lia@example.test/ }).click();
  await dialog.getByText('None of your inboxes reaches this recipient.').waitFor();
  await close();
});
