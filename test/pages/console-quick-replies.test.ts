/** Quick replies in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { uploadFile } from '../support/attachments.ts';
import { findDialog, holdAnswers, openConsole } from '../support/console.ts';
import { makePng } from '../support/media-samples.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { key } = platform.demo;

const list = async (): Promise<Json[]> => (await platform.call(200, 'GET', '/v1/quick-replies', { key })).body.result;

test('a shared text is written with a variable, refused where its shortcut is taken or its file is too large, inserted by it in a conversation, and removed', async () => {
  await platform.receive({ from: '5511988880061', name: 'Maria Silva', text: 'Que horas abrem?' });
  const taken = { title: 'Endereço', shortcut: 'endereco', content: 'Rua das Flores, 12' };
  await platform.call(201, 'POST', '/v1/quick-replies', { key, body: taken });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/quick-replies' });
  await page.getByRole('row', { name: /Endereço/ }).waitFor();
  await page.getByRole('button', { name: 'New quick reply' }).click();
  const form = findDialog(page);
  const file = { name: 'grande.png', mimeType: 'image/png', buffer: Buffer.alloc(6 * 1024 * 1024) };
  await form.locator('input[type=file]').setInputFiles(file);
  await form.getByText('“grande.png” is larger than the limit of 5 MB.').waitFor();
  await form.getByLabel('Name', { exact: true }).fill('Horários');
  await form.getByLabel('Shortcut').fill('Endereco');
  await form.getByLabel('Text', { exact: true }).fill('Oi, ! Abrimos às 9 horas.');
  await form.getByLabel('Text', { exact: true }).press('Home');
  for (const _ of 'Oi, ') await page.keyboard.press('ArrowRight');
  await form.getByRole('button', { name: "Contact's first name" }).click();
  await form.getByRole('button', { name: 'Create' }).click();
  await form.locator('[aria-invalid=true]').waitFor();
  await form.getByLabel('Shortcut').fill('horarios');
  await form.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: /Horários \/horarios .* Everyone in the company/ });
  await row.waitFor();

  await page.goto(`${platform.url}/console/inbox/unassigned`);
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  const message = page.getByLabel('Write a message');
  await message.pressSequentially('/hor');
  await page.getByRole('option', { name: /Horários/ }).waitFor();
  await page.keyboard.press('Enter');
  await waitUntil('the text', async () => (await message.inputValue()) === 'Oi, Maria! Abrimos às 9 horas.');

  await page.goto(`${platform.url}/console/quick-replies`);
  await row.press('Enter');
  await form.getByRole('button', { name: 'Remove' }).click();
  await form.getByRole('button', { name: 'Yes, remove' }).click();
  await page.getByText('Horários was removed').waitFor();
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(
    (await list()).map(({ shortcut }) => shortcut),
    ['endereco'],
  );
  assert.deepEqual(
    complaints().filter((text) => !/status of 409/.test(text)),
    [],
  );
  await close();
});

test('a reply in which a variable of a quick reply is left is not sent until it is replaced', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: '' });
  await platform.call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: null } });
  const body = { title: 'Greeting', shortcut: 'greeting', content: 'Hello {{contact.first_name}}!' };
  const { _id } = (await platform.call(201, 'POST', '/v1/quick-replies', { body })).body;
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const message = page.getByRole('textbox', { name: 'Write a message' });
  await message.pressSequentially('/greet');
  await page.getByRole('option', { name: /Greeting/ }).click();
  await page.getByText('The contact has no value for {{contact.first_name}}.').waitFor();
  const send = page.getByRole('button', { name: 'Send', exact: true });
  assert.ok(await send.isDisabled());
  await message.press('Enter');
  assert.equal(await message.inputValue(), 'Hello {{contact.first_name}}!');
  await message.fill('Hello!');
  await message.press('Enter');
  await waitUntil('the message to leave the composer', async () => (await message.inputValue()) === '');
  await platform.call(200, 'DELETE', `/v1/quick-replies/${_id}`);
  await close();
});

test("who may only send has texts of their own that nobody else sees, and reads the company's without a button that changes them", async () => {
  const { page, complaints, close } = await openConsole(platform, browser, {
    role: 'OPERATOR',
    path: '/quick-replies',
  });
  await page.getByRole('button', { name: 'New quick reply' }).click();
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Assinatura');
  await form.getByLabel('Shortcut').fill('eu');
  await form.getByLabel('Text', { exact: true }).fill('Um abraço');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('row', { name: /Assinatura \/eu Um abraço Only you/ }).waitFor();
  assert.equal((await list()).length, 1);
  await page.getByRole('row', { name: /Endereço/ }).press('Enter');
  assert.equal(await form.getByLabel('Text', { exact: true }).inputValue(), 'Rua das Flores, 12');
  assert.equal(await form.getByLabel('Text', { exact: true }).isDisabled(), true);
  assert.deepEqual(
    await form
      .getByRole('button')
      .all()
      .then((all) => all.length),
    1,
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('the file of a quick reply belongs to the reply alone, and the reply waits until the file is there', async () => {
  const file = await uploadFile(platform, { data: makePng(8, 8), name: 'tabela.png', type: 'image/png' });
  const body = { title: 'Tabela', shortcut: 'tabela', content: 'Segue a tabela', attachment: file._id };
  await platform.call(201, 'POST', '/v1/quick-replies', { key, body });
  const { conversation } = await writeAsContact(platform, { name: 'Tabea Dias', text: 'Preços?' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const composer = page.locator('[data-composer]');
  const files = composer.getByRole('list', { name: 'Files' });
  const take = async (): Promise<void> => {
    await composer.getByRole('textbox').pressSequentially('/tabela');
    await page.getByRole('option', { name: /Tabela/ }).waitFor();
    await page.keyboard.press('Enter');
  };
  await composer.getByRole('tab', { name: 'Note' }).click();
  await take();
  await page.keyboard.press('Enter');
  await page.getByRole('article').filter({ hasText: 'Segue a tabela' }).waitFor();
  await composer.getByRole('tab', { name: 'Reply' }).click();
  assert.equal(await files.count(), 0);
  const held = await holdAnswers(page, `/attachments/${file._id}`);
  await take();
  await held.answered();
  await page.keyboard.press('Enter');
  await files.getByText('Uploading…').waitFor();
  await held.release();
  await files.waitFor({ state: 'detached' });
  const read = async (): Promise<string[]> => {
    const { body: answer } = await platform.call(200, 'GET', `/v1/messages/conversation/${conversation._id}`, { key });
    return answer.result.map(
      ({ message_type, contentType, content }: Json) => `${message_type} ${contentType} ${content}`,
    );
  };
  await waitUntil('the message', async () => (await read()).length === 3);
  assert.deepEqual((await read()).toSorted(), [
    'INCOMING TEXT Preços?',
    'NOTE TEXT Segue a tabela',
    'OUTGOING IMAGE Segue a tabela',
  ]);
  assert.deepEqual(complaints(), []);
  await close();
});
