/** What people do within one conversation of the console: answer, react to what the phone does, put aside, send files and voice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, openConsoleAt, waitForSent } from '../support/console.ts';
import { makePng } from '../support/media-samples.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { reportStatuses, sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
const browser = await startBrowser({ hasMicrophone: true });
const { call } = platform;

const listMessages = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}?limit=100`)).body.result;

/** Makes the phone of a contact do something with a message. */
const doOnPhone = (from: string, type: string, about: Json): Promise<Json> =>
  platform.sandbox('POST', '/sandbox/inbound', { from, type, raw: { [type]: about } });

test('a message is answered with a quote, and reactions, an edit and a deletion on the phone appear by themselves', async () => {
  const { message, conversation, contact } = await writeAsContact(platform, { name: 'Maria Silva', text: 'Tem bolo?' });
  const from = contact.phone_number.slice(1);
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const bubble = (text: string) => page.getByRole('article').filter({ hasText: text });
  await bubble('Tem bolo?').hover();
  await bubble('Tem bolo?').getByRole('button', { name: 'Reply' }).click();
  await page.getByText('Reply to').waitFor();
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Temos, de cenoura');
  await page.keyboard.press('Enter');
  const answer = bubble('Temos, de cenoura');
  await answer.locator('blockquote').getByText('Tem bolo?').waitFor();
  await waitForSent(answer);
  assert.equal(await page.getByText('Reply to').count(), 0);
  const sent = (await listMessages(conversation._id)).find(({ content }) => content === 'Temos, de cenoura');
  assert.equal(sent?.reply_to, message._id);

  await doOnPhone(from, 'reaction', { message_id: sent?.external_id, emoji: '❤️' });
  await answer.getByText('❤️', { exact: true }).waitFor();
  await doOnPhone(from, 'reaction', { message_id: sent?.external_id, emoji: '👍' });
  await answer.getByText('👍', { exact: true }).waitFor();
  await answer.getByText('❤️').waitFor({ state: 'detached' });
  await doOnPhone(from, 'reaction', { message_id: sent?.external_id, emoji: '' });
  await answer.getByText('👍').waitFor({ state: 'detached' });
  const edited = { original_message_id: message.external_id, message: { type: 'text', text: { body: 'Tem torta?' } } };
  await doOnPhone(from, 'edit', edited);
  await bubble('Tem torta?').getByText('edited').first().waitFor();
  await answer.locator('blockquote').getByText('Tem torta?').waitFor();
  await doOnPhone(from, 'revoke', { original_message_id: message.external_id });
  await page.getByText('This message was deleted by its sender.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation is put aside, comes back by its time and by a message, and gets and loses a tag', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Rui Costa', text: 'Amanhã?' });
  const path = `/v1/conversations/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const head = page.locator('header').filter({ has: page.getByRole('heading', { name: 'Rui Costa' }) });
  const putAside = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('menuitem', { name: /In an hour/ }).click();
    await head.getByText(/Snoozed/).waitFor();
  };
  await putAside();
  await call(200, 'PATCH', path, { body: { snoozed_until: new Date(Date.now() + 1_000).toISOString() } });
  await head.getByText(/Open/).waitFor();
  await putAside();
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Pode ser hoje?' });
  await head.getByText(/Open/).waitFor();

  await page.getByRole('button', { name: 'Contact details' }).click();
  await page.getByLabel('Add a tag').fill('urgent');
  await page.keyboard.press('Enter');
  const remove = page.getByRole('button', { name: 'Remove the tag urgent' });
  await remove.waitFor();
  assert.deepEqual((await call(200, 'GET', path)).body.tags, ['urgent']);
  assert.deepEqual(await findBarriers(page), []);
  await remove.click();
  await remove.waitFor({ state: 'detached' });
  assert.deepEqual((await call(200, 'GET', path)).body.tags, []);
  assert.deepEqual(complaints(), []);
  await close();
});

/** Gives the field in which a message is written a picture, as a paste or a drop does. */
const give = (page: Page, event: 'paste' | 'drop', name: string): Promise<unknown> =>
  page.evaluate(`
    const bytes = Uint8Array.from(atob(${JSON.stringify(makePng(40, 40).toString('base64'))}), (each) => each.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'image/png' }));
    const options = { bubbles: true, cancelable: true };
    document.querySelector('textarea').dispatchEvent(${
      event === 'paste'
        ? "new ClipboardEvent('paste', { ...options, clipboardData: data })"
        : "new DragEvent('drop', { ...options, dataTransfer: data })"
    });
  `);

test('an emoji goes where the caret is, and a pasted picture, a dropped file and a recorded voice note are sent', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Eva Prado', text: 'Manda uma foto?' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const field = page.getByRole('textbox', { name: 'Write a message' });
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await field.fill('Claro!');
  await field.press('ArrowLeft');
  await page.getByRole('button', { name: 'Emoji' }).click();
  await page.getByRole('button', { name: '👍' }).click();
  assert.equal(await field.inputValue(), 'Claro👍!');
  await field.and(page.locator(':focus')).waitFor();
  await page.keyboard.type(' sim');

  await give(page, 'paste', 'pasted.png');
  await page.getByText('pasted.png').waitFor();
  await send.click();
  const picture = page.getByRole('article').filter({ hasText: 'Claro👍 sim!' });
  await waitForSent(picture);
  await picture.locator('img').first().waitFor();
  await give(page, 'drop', 'dropped.png');
  await page.getByText('dropped.png').waitFor();
  await send.click();
  await page.getByRole('button', { name: 'Record a voice note' }).click();
  await page.getByRole('timer').getByText('0:01').waitFor();
  await page.getByRole('button', { name: 'Finish' }).click();
  await send.click();
  const voice = page.getByRole('article').filter({ has: page.locator('audio') });
  await waitForSent(voice);
  const files = (await listMessages(conversation._id)).filter(({ contentType }) => contentType !== 'TEXT');
  assert.deepEqual(
    files.map(({ contentType, content }) => [contentType, content]),
    [
      ['IMAGE', 'Claro👍 sim!'],
      ['IMAGE', null],
      ['AUDIO', null],
    ],
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('two people who open the same conversation see each other, that one of them types, and that his tab is closed', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Caio Nunes', text: 'Bom dia' });
  const path = `/inbox/all/${conversation._id}`;
  const { _id, email } = await createPerson(platform, platform.demo._id, 'OPERATOR');
  await call(200, 'PATCH', `/v1/users/${_id}`, { body: { name: 'Rui Costa' } });
  const first = await openConsole(platform, browser, { path });
  const second = await openConsoleAt({ url: platform.url, email }, browser, { path });
  await first.page.getByText('Rui Costa is here').waitFor();
  await second.page.getByText('Olga Operator is here').waitFor();
  await second.page.getByRole('textbox', { name: 'Write a message' }).pressSequentially('Bom');
  await first.page.getByText('Rui Costa is typing…').waitFor();
  // Another tab of his goes on hearing of changes.
  const other = await second.page.context().newPage();
  await other.goto(`${platform.url}/console/inbox/all`);
  await other.locator('nav a').first().waitFor();
  await second.page.goto('about:blank');
  await first.page.getByText(/Rui Costa is/).waitFor({ state: 'detached' });
  await second.close();
  assert.deepEqual(first.complaints(), []);
  await first.close();
});

test('a message shows its links, numbers and formats, and the advertisement from which its writer came', async () => {
  const text = '*Hello*, see https://shop.example/a_b_c or call +55 (11) 98765-4321. _2*3*4_ `*code*`';
  const referral = { source_type: 'ad', source_url: 'https://fb.example/ad', headline: 'Carrot cake' };
  const { conversation } = await writeAsContact(platform, { type: 'text', raw: { text: { body: text }, referral } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const bubble = page.getByRole('article');
  await bubble.locator('strong').getByText('Hello', { exact: true }).waitFor();
  assert.equal(await bubble.locator('em').innerText(), '2*3*4');
  assert.equal(await bubble.locator('code').innerText(), '*code*');
  await bubble.getByText('Came from: Carrot cake').waitFor();
  const links = await bubble.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.deepEqual(links, ['https://fb.example/ad', 'https://shop.example/a_b_c', 'tel:+5511987654321']);
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a failed message is marked in the list, says why in the language of the console, and is sent again', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Bia Leal', text: 'Oi' });
  await silenceNetwork(platform);
  const sent = await sendText(platform, conversation._id, { content: 'Already there?' });
  const { page, complaints, close } = await openConsole(platform, browser, {
    path: `/inbox/all/${conversation._id}`,
    language: 'es',
  });
  const bubble = page.getByRole('article').filter({ hasText: 'Already there?' });
  await bubble.waitFor();
  await reportStatuses(platform, {
    id: sent.external_id,
    status: 'failed',
    errors: [{ code: 131026, title: 'Undeliverable' }],
  });
  await bubble.getByText('No entregado: el número no está en WhatsApp o no puede recibir este mensaje.').waitFor();
  await page.getByRole('link', { name: /Bia Leal.*No entregado/ }).waitFor();
  await bubble.getByRole('button', { name: 'Enviar de nuevo' }).click();
  await bubble.nth(1).getByRole('img', { name: 'Enviado' }).waitFor();
  await bubble.first().getByText('Enviado de nuevo').waitFor();
  assert.equal(await bubble.getByRole('button', { name: 'Enviar de nuevo' }).count(), 0);
  await page
    .getByRole('link', { name: /Bia Leal/ })
    .getByText('Falló')
    .waitFor({ state: 'detached' });
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation is snoozed until a time that the user chooses and its row shows, the snooze ends by the first item of the menu, and a draft is the same in two tabs', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ivo Reis', text: 'Na sexta' });
  const path = `/inbox/all/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const second = await page.context().newPage();
  await second.goto(`${platform.url}/console${path}`);
  const field = (of: Page) => of.getByRole('textbox', { name: 'Write a message' });
  await field(second).fill('Combinado');
  await page.waitForFunction(`document.querySelector('textarea')?.value === 'Combinado'`);
  await field(page).fill('');
  await second.waitForFunction(`document.querySelector('textarea')?.value === ''`);
  await page.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'Other time…' }).click();
  const until = findDialog(page).getByLabel('Until');
  await until.fill('2020-01-01T10:00');
  await findDialog(page).getByText('Choose a time in the future').waitFor();
  await until.fill('2050-03-01T10:00');
  await findDialog(page).getByRole('button', { name: 'Snooze' }).click();
  await page.locator('header').getByText('WhatsApp · Snoozed').waitFor();
  const { body } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.match(body.snoozed_until, /^2050-0(2-28|3-01)/);
  await page.goto(`${platform.url}/console/inbox/snoozed/${conversation._id}`);
  const row = page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: /Ivo Reis/ });
  await row.getByText('until Mar 1, 2050', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Snooze' }).click();
  const [first] = await page.getByRole('menuitem').allInnerTexts();
  assert.equal(first, 'End the snooze');
  await page.getByRole('menuitem', { name: 'End the snooze' }).click();
  await page.locator('header').getByText('WhatsApp · Open').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('the first stops of the Tab key lead to the content and to the reply box, and a lost network shows at once', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ivo Reis', text: 'Oi' });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const field = page.getByRole('textbox', { name: 'Write a message' });
  await field.waitFor();
  const [first] = await page.locator('a[href], button, input, textarea').all();
  await first?.focus();
  await page.getByRole('button', { name: 'Skip to the content' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await field.and(page.locator(':focus')).waitFor();
  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  await close();
});

test('a conversation whose contact is erased leaves the screen of whoever has it open, and their notifications', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Clara Gone', text: 'Forget me' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor();
  await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
  await page.getByText('This conversation was removed').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Write a message' }).count(), 0);
  assert.equal(await page.getByText('Clara Gone').count(), 0);
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});
