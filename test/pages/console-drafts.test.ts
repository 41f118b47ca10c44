/** What is begun in a conversation of the console and not sent yet, and what is sent while the browser is offline. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { MAX_BYTES } from '../../src/platform/work/media/formats.ts';
import { MOST_BYTES } from '../../web/console/ui/uploads/most-bytes.ts';
import { uploadFile } from '../support/attachments.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, holdAnswers, openConsole, waitForSent } from '../support/console.ts';
import { makePng } from '../support/media-samples.ts';
import { makeTextPdf } from '../support/pdf.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { sendText, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;

const attach = (page: Page, name: string): Promise<void> =>
  page
    .locator('[data-composer] input[type=file]')
    .setInputFiles({ name, mimeType: 'image/png', buffer: makePng(8, 8) });

const openRow = (page: Page, name: RegExp): Promise<void> =>
  page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name }).click();

const field = (page: Page) => page.getByRole('textbox', { name: 'Write a message' });
const notice = (page: Page, text: string) => page.locator('[data-notice]', { hasText: text });
const files = (page: Page) => page.getByRole('list', { name: 'Files' });
const file = (page: Page, name: string) => files(page).getByRole('listitem').filter({ hasText: name });

/** What was sent and done in a conversation, in this order. */
async function listActs(id: string): Promise<string[]> {
  const { body: messages } = await call(200, 'GET', `/v1/messages/conversation/${id}?sort=createdAt`);
  const { body: history } = await call(200, 'GET', `/v1/conversations/${id}/history`);
  return [
    ...messages.result.map(({ createdAt, contentType, content }: Json) => [createdAt, `${contentType} ${content}`]),
    ...history.result.map(({ createdAt, changes }: Json) => [createdAt, changes.map(({ to }: Json) => to).join()]),
  ]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, act]) => act);
}

test('the files and the quote of a reply survive leaving the conversation and a reload of the page, and tabs share them', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ana Anexo', text: 'Manda a foto?' });
  await writeAsContact(platform, { name: 'Beto Outro', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const bubble = page.getByRole('article').filter({ hasText: 'Manda a foto?' });
  await bubble.hover();
  await bubble.getByRole('button', { name: 'Reply' }).click();
  await field(page).fill('Segue');
  await attach(page, 'pronta.png');
  await file(page, 'pronta.png').getByText('Uploading…').waitFor({ state: 'detached' });
  const held = await holdAnswers(page, 'upload-attachment');
  await attach(page, 'andando.png');
  await held.answered();
  await openRow(page, /Beto Outro/);
  await page.getByRole('heading', { name: 'Beto Outro' }).waitFor();
  assert.equal(await files(page).count(), 0);
  await held.release();
  await openRow(page, /Ana Anexo/);
  await file(page, 'andando.png').getByText('Uploading…').waitFor({ state: 'detached' });
  await file(page, 'pronta.png').locator('img').waitFor();
  await page.getByText('Reply to').waitFor();

  // A second tab has the same draft, and both add to it.
  const second = await page.context().newPage();
  await second.goto(page.url());
  await file(second, 'andando.png').waitFor();
  await attach(second, 'segunda.png');
  await file(page, 'segunda.png').waitFor();
  await second.getByRole('button', { name: 'Remove: pronta.png' }).click();
  await file(page, 'pronta.png').waitFor({ state: 'detached' });
  const again = await holdAnswers(page, 'upload-attachment');
  await attach(page, 'cortada.png');
  await again.answered();
  await page.reload();
  await file(page, 'cortada.png').getByText('The upload was interrupted when you left the page').waitFor();
  assert.deepEqual(await files(page).getByRole('listitem').allInnerTexts(), [
    'andando.png',
    'segunda.png',
    'cortada.png\nThe upload was interrupted when you left the page. Add the file again.',
  ]);
  await page.getByText('remove the file that was not uploaded.').waitFor();
  await page.getByText('Reply to').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Remove: cortada.png' }).click();
  await page.keyboard.press('Enter');
  await waitForSent(page.getByRole('article').filter({ hasText: 'Segue' }));
  await waitUntil('both files', async () => (await listActs(conversation._id)).length === 3);
  await files(second).waitFor({ state: 'detached' });
  await second.getByText('Reply to').waitFor({ state: 'detached' });
  assert.deepEqual(await listActs(conversation._id), ['TEXT Manda a foto?', 'IMAGE Segue', 'IMAGE null']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the row of a conversation names who wrote last, and its file; a new message stands there before what is begun', async () => {
  const { token: key } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Rosa Lima');
  const contact = { from: '5511988880177', name: 'Nara Última' };
  const { conversation } = await writeAsContact(platform, contact);
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const row = page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: /Nara Última/ });
  const sent = await sendText(platform, conversation._id, { content: 'We open at nine', key });
  await row.filter({ hasText: 'Rosa Lima: We open at nine' }).waitFor();
  await platform.database.sql('update messages set revoked_at = now(), content = null where _id = $1', [sent._id]);
  await page.reload();
  await row.filter({ hasText: 'Rosa Lima: Deleted message' }).waitFor();
  const { _id: attachment } = await uploadFile(platform, { data: makeTextPdf([['Prices']]), name: 'prices.pdf' });
  const document = { conversationId: conversation._id, message: { attachment } };
  await platform.call(201, 'POST', '/v1/messages/send-document', { key, body: document });
  await row.filter({ hasText: 'Rosa Lima: prices.pdf' }).waitFor();
  await page.getByRole('textbox', { name: 'Write a message' }).fill('A text that is begun');
  await page.goto(`${platform.url}/console/inbox/all`);
  await row.filter({ hasText: 'A text that is begun' }).waitFor();
  await writeAsContact(platform, { ...contact, text: 'And on Sundays?' });
  await row.filter({ hasText: 'Draft' }).filter({ hasText: 'And on Sundays?' }).waitFor();
  await close();
});

test('a file that is refused is named with its problem and limit, a large one before its upload, and an interrupted upload is tried again', async () => {
  assert.deepEqual(MOST_BYTES, {
    image: MAX_BYTES.IMAGE,
    audio: MAX_BYTES.AUDIO,
    video: MAX_BYTES.VIDEO,
    other: MAX_BYTES.DOCUMENT,
  });
  const { conversation } = await writeAsContact(platform, { name: 'Ugo Reis', text: 'Oi' });
  const { page, calls, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const add = (name: string, mimeType: string, buffer: Buffer) =>
    page.locator('[data-composer] input[type=file]').setInputFiles({ name, mimeType, buffer });
  const listProblems = async (): Promise<string[]> =>
    (await files(page).getByRole('listitem').allInnerTexts()).filter((text) => text !== '');
  const image = makePng(8, 8);
  await add('grande.png', 'image/png', Buffer.concat([image, Buffer.alloc(6 * 1024 * 1024)]));
  await file(page, 'grande.png').getByText('“grande.png” is larger than the limit of 5 MB.').waitFor();
  assert.deepEqual(
    calls().filter((path) => path.includes('upload-attachment')),
    [],
  );
  await page.getByText('To send the message, remove the file that was not uploaded.').waitFor();
  await add('filme.mp4', 'video/mp4', Buffer.from('\0\x01 no film'));
  await file(page, 'filme.mp4').getByText('“filme.mp4” is damaged, or is not a MP4 file.').waitFor();
  await add('tool.exe', 'application/x-msdownload', Buffer.from('MZ\x90\0\x03\0', 'latin1'));
  await file(page, 'tool.exe').getByText('“tool.exe” has none of the accepted formats: JPG, PNG').waitFor();
  await page.getByText('To send the message, remove the files that were not uploaded.').waitFor();
  assert.equal((await listProblems()).length, 3);
  const again = page.getByRole('button', { name: /^Try again/ });
  assert.equal(await again.count(), 0);
  for (const name of ['grande.png', 'filme.mp4', 'tool.exe'])
    await page.getByRole('button', { name: `Remove: ${name}` }).click();
  await page.route('**/upload-attachment', (route) => route.abort());
  await add('bolo.png', 'image/png', image);
  await file(page, 'bolo.png').getByText('The platform cannot be reached.').waitFor();
  await page.unroute('**/upload-attachment');
  await again.click();
  await file(page, 'bolo.png').getByText('The platform cannot be reached.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await files(page).waitFor({ state: 'detached' });
  await waitUntil('the message', async () => (await listActs(conversation._id)).length === 2);
  await close();
});

test('the row of a conversation marks a text, a note or files that are not sent yet, until they are sent or removed', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Rui Rascunho', text: 'Tem bolo?' });
  await writeAsContact(platform, { name: 'Sara Seguinte', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const row = page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: /Rui Rascunho/ });
  const isMarked = async (text: string): Promise<void> => {
    await openRow(page, /Sara Seguinte/);
    await row.filter({ hasText: 'Draft' }).filter({ hasText: text }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await row.click();
    await row.filter({ hasText: 'Draft' }).waitFor({ state: 'detached' });
  };
  await field(page).fill('Tem, de nozes');
  await isMarked('Tem, de nozes');
  await field(page).fill('');
  await attach(page, 'bolo.png');
  await file(page, 'bolo.png').locator('img').waitFor();
  await isMarked('Tem bolo?');
  await page.getByRole('button', { name: 'Remove: bolo.png' }).click();
  await page.getByRole('tab', { name: 'Note' }).click();
  await page.getByRole('textbox', { name: 'Write a note' }).fill('Perguntar ao Beto');
  await isMarked('Perguntar ao Beto');
  await page.getByRole('textbox', { name: 'Write a note' }).press('Enter');
  await page.getByRole('article').filter({ hasText: 'Perguntar ao Beto' }).waitFor();
  await openRow(page, /Sara Seguinte/);
  await page.getByRole('heading', { name: 'Sara Seguinte' }).waitFor();
  assert.equal(await row.filter({ hasText: 'Draft' }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a message that is sent during an upload says so, and goes by itself before what is done after it', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Caio Espera', text: 'Manda?' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const held = await holdAnswers(page, 'upload-attachment');
  await field(page).fill('Esta');
  await attach(page, 'lenta.png');
  await held.answered();
  const waits = page.getByRole('status').filter({ hasText: 'sent when the upload finishes' });
  await page.keyboard.press('Enter');
  await waits.waitFor();
  assert.deepEqual(await findBarriers(page), []);
  // A change takes the order back.
  await page.keyboard.type(' é');
  await waits.waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await waits.waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await held.release();
  await page.getByText('Conversation closed: Caio Espera').waitFor();
  assert.equal(await files(page).count(), 0);
  assert.equal(await field(page).inputValue(), '');
  assert.deepEqual((await listActs(conversation._id)).slice(1), ['IMAGE Esta é', 'CLOSED']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a second tab shows an upload of the first, and waits for it as the first does, and one of them sends the message', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Gabi Abas', text: 'Manda?' });
  const path = `/inbox/all/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const second = await page.context().newPage();
  await second.goto(page.url());
  await field(second).fill('Segue');
  const held = await holdAnswers(page, 'upload-attachment');
  await attach(page, 'primeira.png');
  await held.answered();
  const third = await page.context().newPage();
  await third.goto(page.url());
  for (const tab of [second, third]) await file(tab, 'primeira.png').getByText('Uploading…').waitFor();
  for (const tab of [third, second, page]) {
    await tab.bringToFront();
    await field(tab).press('Enter');
    await tab.getByRole('status').filter({ hasText: 'sent when the upload finishes' }).waitFor();
  }
  assert.deepEqual(await listActs(conversation._id), ['TEXT Manda?']);
  await held.release();
  for (const tab of [page, second, third]) {
    await waitForSent(tab.getByRole('article').filter({ hasText: 'Segue' }));
    await files(tab).waitFor({ state: 'detached' });
    await tab.getByRole('status').filter({ hasText: 'sent as soon as' }).waitFor({ state: 'detached' });
  }
  // The upload ends with its tab.
  const again = await holdAnswers(third, 'upload-attachment');
  await attach(third, 'fechada.png');
  await again.answered();
  await file(page, 'fechada.png').getByText('Uploading…').waitFor();
  await third.close();
  await file(page, 'fechada.png').getByText('The upload was interrupted when you left the page').waitFor();
  assert.deepEqual(await listActs(conversation._id), ['TEXT Manda?', 'IMAGE Segue']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the notice of a closed conversation says that a draft is left, and its button leads back to the draft', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Dora Rascunho', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await field(page).fill('Amanhã eu');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  const closed = notice(page, 'Conversation closed: Dora Rascunho. Your draft was not sent and is still there.');
  await closed.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Reopen', exact: true }).waitFor({ state: 'detached' });
  assert.equal(await field(page).inputValue(), 'Amanhã eu');
  await field(page).fill('');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.locator('[data-notice]').getByText('Conversation closed: Dora Rascunho', { exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('what is done with a conversation offline runs in the same order once the browser is online, and the notice says so', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Dora Linha', text: 'Obrigada' });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await field(page).waitFor();
  await page.context().setOffline(true);
  await page.getByText('Messages and changes to conversations are sent when you are back online.').waitFor();
  await field(page).fill('De nada');
  await page.keyboard.press('Enter');
  await page.getByRole('article').filter({ hasText: 'De nada' }).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.context().setOffline(false);
  await page.getByText('Conversation closed: Dora Linha').waitFor();
  assert.deepEqual((await listActs(conversation._id)).slice(1), ['TEXT De nada', 'CLOSED']);
  await close();
});

test('a close that waits offline is left out when the contact has written meanwhile, also when a colleague has read it', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Eva Urgente', text: 'Obrigada' });
  const path = `/v1/conversations/${conversation._id}`;
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await waitUntil('the conversation to be read', async () => (await call(200, 'GET', path)).body.unread_count === 0);
  await field(page).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Liga para mim?' });
  await call(200, 'PUT', `${path}/read`);
  await page.context().setOffline(false);
  await notice(page, 'The conversation with Eva Urgente was not closed').waitFor();
  assert.equal((await call(200, 'GET', path)).body.status, 'OPEN');
  await close();
});

test('a close that waits offline is left out when the contact has written a message with an earlier time', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Ugo Atrasado', text: 'Obrigado' });
  await writeAsContact(platform, { name: 'Mia Seguinte', text: 'Oi' });
  const path = `/v1/conversations/${conversation._id}`;
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await waitUntil('the conversation to be read', async () => (await call(200, 'GET', path)).body.unread_count === 0);
  await field(page).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await openRow(page, /Mia Seguinte/);
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Liga para mim?' });
  await platform.database.sql('update conversations set last_inbound_at = $2 where _id = $1', [
    conversation._id,
    conversation.last_inbound_at,
  ]);
  await page.context().setOffline(false);
  await notice(page, 'The conversation with Ugo Atrasado was not closed').waitFor();
  assert.equal((await call(200, 'GET', path)).body.status, 'OPEN');
  await close();
});

test('a snooze that waits offline is left out when the contact has written meanwhile', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Gil Amanhã', text: 'Obrigado' });
  const path = `/v1/conversations/${conversation._id}`;
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await waitUntil('the conversation to be read', async () => (await call(200, 'GET', path)).body.unread_count === 0);
  await field(page).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: /In an hour/ }).click();
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Melhor hoje' });
  await page.context().setOffline(false);
  await notice(page, 'Nothing was changed').waitFor();
  assert.equal((await call(200, 'GET', path)).body.status, 'OPEN');
  await close();
});

test('a bulk change that is begun offline fails right away and changes nothing later', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Hugo Lote', text: 'Obrigado' });
  const { page, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('checkbox', { name: 'Select the conversation with Hugo Lote' }).check();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await notice(page, 'The platform cannot be reached').waitFor();
  await page.context().setOffline(false);
  await writeAsContact(platform, { name: 'Ida Depois', text: 'Oi' });
  await page.getByRole('link', { name: /Ida Depois/ }).waitFor();
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.status, 'OPEN');
  await close();
});

test('a message that is refused while another conversation is on the screen is said, and the close behind it is left out', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ivo Longo', text: 'Conta tudo' });
  await writeAsContact(platform, { name: 'Lia Outra', text: 'Oi' });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await attach(page, 'gone.png');
  const stored = await waitUntil('the file', async () => {
    const { body } = await call(200, 'GET', '/v1/resource/attachments');
    return body.result.find(({ meta }: Json) => meta.fileName === 'gone.png');
  });
  await call(200, 'DELETE', `/v1/resource/attachments/${stored._id}`);
  const held = await holdAnswers(page, '/v1/messages/send-image');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await openRow(page, /Lia Outra/);
  await page.getByRole('log').getByText('Oi').waitFor();
  await held.release();
  await notice(page, 'The conversation with Ivo Longo was not closed').waitFor();
  await notice(page, 'A message to Ivo Longo was not sent.').getByText('Go to the conversation').click();
  await page.getByRole('button', { name: 'Send again' }).waitFor();
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.status, 'OPEN');
  await close();
});

test('what is written offline in a conversation whose messages are not loaded is shown below the name, and sent', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Elza Longe', text: 'Bom dia' });
  const { page, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('link', { name: /Elza Longe/ }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('Messages and changes to conversations are sent when you are back online.').waitFor();
  await openRow(page, /Elza Longe/);
  await page.getByRole('heading', { name: 'Elza Longe' }).waitFor();
  await field(page).fill('Bom dia, Elza');
  await page.keyboard.press('Enter');
  const written = page.getByRole('article').filter({ hasText: 'Bom dia, Elza' });
  await written.getByText('Sending').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.context().setOffline(false);
  await waitForSent(written);
  assert.deepEqual(await listActs(conversation._id).then((acts) => acts.filter((act) => act.startsWith('TEXT'))), [
    'TEXT Bom dia',
    'TEXT Bom dia, Elza',
  ]);
  await close();
});

test('the tab of a reply or a note that holds a draft is marked while the other tab is open', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Hugo Marca', text: 'Manda?' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await attach(page, 'marca.png');
  await file(page, 'marca.png').waitFor();
  await tab('Note').click();
  await tab('Reply Draft').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('textbox', { name: 'Write a note for your team' }).fill('Conferir');
  await tab('Reply Draft').click();
  await tab('Note Draft').waitFor();
  await page.getByRole('button', { name: 'Remove: marca.png' }).click();
  await tab('Note Draft').click();
  await tab('Reply').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a snooze, an assignment and a tag that wait offline are marked in the head of the conversation, and made later', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Igor Espera', text: 'Oi' });
  const path = `/v1/conversations/${conversation._id}`;
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const read = async () => (await call(200, 'GET', path)).body;
  await waitUntil('the conversation to be read', async () => (await read()).unread_count === 0);
  const mark = page.getByRole('status').filter({ hasText: 'Waits until you are online' });
  const about = page.getByRole('button', { name: 'Contact details' });
  if ((await about.getAttribute('aria-pressed')) !== 'true') await about.click();
  // The panel is loaded when it is opened, which it could not be offline.
  await page.getByLabel('Add a tag').waitFor();
  const changes: (() => Promise<void>)[] = [
    async () => {
      await page.getByRole('button', { name: 'Snooze' }).click();
      await page.getByRole('menuitem', { name: 'In an hour' }).click();
    },
    async () => {
      await page.getByRole('button', { name: 'Assign', exact: true }).click();
      await page.getByRole('menuitem').nth(1).click();
    },
    async () => {
      await page.getByLabel('Add a tag').fill('vip');
      await page.keyboard.press('Enter');
    },
  ];
  for (const change of changes) {
    assert.equal(await mark.count(), 0);
    await page.context().setOffline(true);
    await change();
    await mark.waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.context().setOffline(false);
    await mark.waitFor({ state: 'detached' });
  }
  await waitUntil('all changes', async () => {
    const { status, owner, tags } = await read();
    return status === 'SNOOZED' && owner !== null && tags.includes('vip');
  });
  await close();
});
