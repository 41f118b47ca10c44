/** The panel about a contact: its notes, and its sections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { uploadFile } from '../support/attachments.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { makePng } from '../support/media-samples.ts';
import { makePhoneNumber } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const browser = await startBrowser();
const { call } = platform;
const viewport = { width: 1440, height: 900 };

const begin = async (name: string): Promise<Json> =>
  (await writeAsContact(platform, { name, text: 'Oi' })).conversation;
const open = (conversation: Json, options: Json = {}) =>
  openConsole(platform, browser, { path: `/inbox/all/${conversation._id}`, viewport, ...options });
const findPanel = (page: Page) => page.getByRole('complementary', { name: 'Contact details' });

async function openPanel(page: Page) {
  await page.getByRole('button', { name: 'Contact details' }).click();
  await findPanel(page).getByRole('button', { name: 'Notes about the contact' }).waitFor();
  return findPanel(page);
}

test('a note about the contact that one user writes, edits and removes shows at once to another', async () => {
  const conversation = await begin('Nora Nota');
  const [mine, others] = [await open(conversation), await open(conversation, { role: 'VIEWER' })];
  const [own, seen] = [await openPanel(mine.page), await openPanel(others.page)];
  await own.getByText('No notes yet').waitFor();
  await own.getByLabel('Write a note about the contact').fill('Allergic to peanuts');
  await own.getByRole('button', { name: 'Add note' }).click();
  await seen.getByText('Allergic to peanuts').waitFor();
  assert.equal(await seen.getByRole('button', { name: 'Edit note' }).count(), 0);
  await own.getByRole('button', { name: 'Edit note' }).click();
  await own.getByLabel('Edit note').fill('Allergic to all nuts');
  await own.getByLabel('Edit note').press('Control+Enter');
  await seen.getByText('Allergic to all nuts').waitFor();
  assert.deepEqual(await findBarriers(mine.page), []);
  await own.getByRole('button', { name: 'Remove note' }).click();
  await findDialog(mine.page).getByRole('button', { name: 'Remove' }).click();
  await findDialog(mine.page).getByRole('button', { name: 'Yes, remove' }).click();
  await seen.getByText('Allergic to all nuts').waitFor({ state: 'detached' });
  assert.deepEqual([...mine.complaints(), ...others.complaints()], []);
  await Promise.all([mine.close(), others.close()]);
});

test('a section of the panel is loaded when it is unfolded, and the browser remembers that it is', async () => {
  const conversation = await begin('Fiona File');
  const { _id: attachment } = await uploadFile(platform, { data: makePng(), fileType: 'IMAGE' });
  const message = { attachment, content: 'this one' };
  await call(201, 'POST', '/v1/messages/send-image', { body: { conversationId: conversation._id, message } });
  const columns = [{ key: 'product', title: 'Product', type: 'TEXT' }];
  const table = (await call(201, 'POST', '/v1/tables', { body: { name: 'Orders', columns } })).body;
  const row = { data: { product: 'Carrot cake' }, contact_id: conversation.contact };
  await call(201, 'POST', `/v1/tables/${table._id}/rows`, { body: row });
  const { page, calls, complaints, close } = await open(conversation);
  const panel = await openPanel(page);
  const isLoaded = (): boolean => calls().some((each) => /has_file|table-rows|campaign-enrollments/.test(each));
  await panel.getByText('No notes yet').waitFor();
  assert.equal(isLoaded(), false);
  await panel.getByRole('button', { name: 'Files' }).click();
  await panel.getByRole('link', { name: /^file/ }).waitFor();
  await panel.getByRole('button', { name: 'Records' }).click();
  await panel.getByRole('link', { name: 'Carrot cake Orders' }).waitFor();
  await panel.getByRole('button', { name: 'Campaigns' }).click();
  await panel.getByText('Not in any campaign yet').waitFor();
  await panel.getByRole('button', { name: 'Notes about the contact' }).click();
  assert.deepEqual(await findBarriers(page), []);
  await page.reload();
  await findPanel(page).getByRole('link', { name: /^file/ }).waitFor();
  const notes = panel.getByRole('button', { name: 'Notes about the contact' });
  assert.equal(await notes.getAttribute('aria-expanded'), 'false');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a file goes from the panel when its message is revoked', async () => {
  const from = makePhoneNumber();
  const { message, conversation } = await writeAsContact(platform, { from, type: 'image' });
  await waitUntil('the file', async () => (await call(200, 'GET', `/v1/messages/${message._id}`)).body.attachment);
  const { page, complaints, close } = await open(conversation);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Files' }).click();
  await panel.getByRole('link', { name: /^Picture/ }).waitFor();
  const revoke = { original_message_id: message.external_id };
  await platform.sandbox('POST', '/sandbox/inbound', { from, type: 'revoke', raw: { revoke } });
  await panel.getByText('No files exchanged yet').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a contact is changed and blocked in the panel, and its business and the ad that led to it are shown', async () => {
  const conversation = await begin('Bea Block');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Silva Events' } })).body._id;
  await call(200, 'PATCH', `/v1/contacts/${conversation.contact}`, { body: { business } });
  const referral = { source_type: 'ad', source_url: 'https://ads.example/1', headline: 'Cakes for parties' };
  await platform.database.sql('update messages set referral = $2 where conversation_id = $1', [
    conversation._id,
    JSON.stringify(referral),
  ]);
  const { page, complaints, close } = await open(conversation);
  const panel = await openPanel(page);
  await panel.getByRole('link', { name: 'Silva Events' }).waitFor();
  await panel.getByRole('button', { name: 'Origin' }).click();
  await panel.getByText('Cakes for parties').waitFor();
  await panel.getByRole('link', { name: 'https://ads.example/1' }).waitFor();
  await panel.getByRole('button', { name: 'Block' }).click();
  await panel.getByText('Blocked', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Unblock' }).click();
  await panel.getByText('Blocked', { exact: true }).waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await findDialog(page).getByLabel('E-mail').fill('bea@example.com');
  await findDialog(page).getByRole('button', { name: 'Save' }).click();
  await panel.getByText('bea@example.com').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
