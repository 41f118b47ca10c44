/** The panel about a contact: its notes, and its sections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { uploadFile } from '../support/attachments.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, holdAnswers, openConsole } from '../support/console.ts';
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

test('what is typed in the panel and not saved is there again after another conversation and a reload, until it is saved', async () => {
  const conversation = await begin('Ugo Unsaved');
  await begin('Vera Visited');
  const field = { title: 'Size', slug: 'size', context: 'conversation', type: 'TEXT' };
  await call(201, 'POST', '/v1/custom-fields', { body: field });
  const note = (content: string): Promise<unknown> =>
    call(201, 'POST', `/v1/contacts/${conversation.contact}/notes`, { body: { content } });
  await note('Likes blue');
  const { page, complaints, close } = await open(conversation);
  const panel = await openPanel(page);
  const size = panel.getByLabel('Size');
  const added = panel.getByLabel('Write a note about the contact');
  const edited = panel.getByRole('textbox', { name: 'Edit note' });
  await size.fill('XL');
  await added.fill('Calls on Monday');
  await panel.getByRole('button', { name: 'Edit note' }).click();
  await edited.fill('Likes green');
  const openRow = (name: RegExp): Promise<void> =>
    page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name }).click();
  await openRow(/Vera Visited/);
  await panel.getByRole('heading', { name: 'Vera Visited' }).waitFor();
  assert.deepEqual([await size.inputValue(), await added.inputValue()], ['', '']);
  await openRow(/Ugo Unsaved/);
  await page.reload();
  await edited.waitFor();
  assert.deepEqual(
    [await size.inputValue(), await added.inputValue(), await edited.inputValue()],
    ['XL', 'Calls on Monday', 'Likes green'],
  );
  assert.deepEqual(await findBarriers(page), []);
  await edited.press('Escape');
  await panel.getByText('Likes blue').waitFor();
  await added.press('Control+Enter');
  await panel.getByText('Calls on Monday').and(panel.locator('p')).waitFor();
  // The answer arrives while another conversation is shown.
  const held = await holdAnswers(page, `/v1/conversations/${conversation._id}`);
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  await held.answered();
  await openRow(/Vera Visited/);
  await panel.getByRole('heading', { name: 'Vera Visited' }).waitFor();
  await held.release();
  const findKept = (): Promise<string[]> =>
    page.evaluate(`Object.keys(localStorage).filter((key) => /panel/.test(key))`);
  await waitUntil('nothing to be kept', async () => (await findKept()).length === 0);
  await page.reload();
  await openRow(/Ugo Unsaved/);
  await waitUntil('the saved value', async () => (await size.inputValue()) === 'XL');
  await panel.getByText('Likes blue').waitFor();
  assert.deepEqual([await added.inputValue(), await edited.count()], ['', 0]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the panel says when a name cannot be read, and the origin stays while it is read again', async () => {
  const conversation = await begin('Olga Origin');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Silva Events' } })).body._id;
  await call(200, 'PATCH', `/v1/contacts/${conversation.contact}`, { body: { business } });
  const { page, close } = await open(conversation);
  const problem = { code: 'VALIDATION_FAILED', title: 'Failed', detail: 'It failed here.', errors: [] };
  await page.route('**/v1/businesses/*', (route) =>
    route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
  );
  const panel = await openPanel(page);
  await panel.getByText('It failed here.').waitFor();
  await panel.getByRole('button', { name: 'Origin' }).click();
  await panel.getByText('Source').waitFor();
  const held = await holdAnswers(page, 'sort=createdAt');
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${conversation.contact}`);
  await platform.receive({ from: contact.phone_number.replace('+', ''), name: 'Olga Origin', text: 'And now?' });
  await held.answered();
  assert.ok(await panel.getByText('Source').isVisible());
  await held.release();
  await close();
});

test('a section of the panel is loaded when it is unfolded, which the browser remembers, and a record of a table is added there', async () => {
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
  await panel.getByRole('button', { name: 'Add a record' }).press('Enter');
  await findDialog(page).getByLabel('Product').fill('Bread');
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  await panel.getByRole('link', { name: 'Bread Orders' }).waitFor();
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

test('a contact is blocked after a question that says what it does, is marked in the head and the list, and gets no reply until it is unblocked', async () => {
  const conversation = await begin('Otto Block');
  const { page, complaints, close } = await open(conversation);
  const panel = await openPanel(page);
  const field = page.getByRole('textbox', { name: 'Write a message' });
  await field.fill('Bom dia');
  const block = panel.getByRole('button', { name: 'Block', exact: true });
  const question = page.getByRole('dialog', { name: 'Block Otto Block?' });
  await block.click();
  await question.getByText('campaigns leave them out. Their messages still arrive').waitFor();
  await question.getByRole('button', { name: 'Back' }).click();
  await question.waitFor({ state: 'detached' });
  const isBlocked = async (): Promise<boolean> =>
    (await call(200, 'GET', `/v1/contacts/${conversation.contact}`)).body.blocked;
  assert.equal(await isBlocked(), false);
  await block.click();
  await question.getByRole('button', { name: 'Block', exact: true }).click();
  const badges = [
    page.getByRole('heading', { level: 1 }).getByText('Blocked', { exact: true }),
    page.locator(`[data-conversation="${conversation._id}"]`).getByText('Blocked', { exact: true }),
  ];
  for (const badge of badges) await badge.waitFor();
  const composer = page.locator('[data-composer]');
  await composer.getByText('The contact is blocked, so nothing can be sent.').waitFor();
  const send = composer.getByRole('button', { name: 'Send', exact: true });
  assert.ok(await send.isDisabled());
  assert.ok(await composer.getByRole('button', { name: 'Send later' }).isDisabled());
  assert.deepEqual(await findBarriers(page), []);
  await composer.getByRole('tab', { name: 'Note' }).click();
  await composer.getByRole('textbox').fill('Spam');
  await composer.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('article').filter({ hasText: 'Spam' }).waitFor();
  await composer.getByRole('tab', { name: 'Reply' }).click();
  await composer.getByRole('button', { name: 'Unblock' }).click();
  for (const badge of badges) await badge.waitFor({ state: 'detached' });
  await waitUntil('the button to send', () => send.isEnabled());
  assert.equal(await isBlocked(), false);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a contact is changed in the panel, and its business and the ad that led to it are shown', async () => {
  const conversation = await begin('Bea Silva');
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
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await findDialog(page).getByLabel('E-mail').fill('bea@example.com');
  await findDialog(page).getByRole('button', { name: 'Save' }).click();
  await panel.getByText('bea@example.com').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
