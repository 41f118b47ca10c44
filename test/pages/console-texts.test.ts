/** How the console shows the texts of people: in their own direction, and in one line without marks where it previews them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findDialog, openConsole } from '../support/console.ts';
import { listRuleCodes } from '../../src/platform/http/validation.ts';
import { explainFault } from '../../web/console/texts/faults.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { sendText, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;

const readDirections = (parts: Locator): Promise<string[]> =>
  parts.evaluateAll((elements: Json[]) =>
    elements.map((element) => element.ownerDocument.defaultView.getComputedStyle(element).direction as string),
  );

test('names, tags, previews and messages in Arabic are shown from right to left wherever they are', async () => {
  const [name, text, tag] = ['ليلى حداد', 'مرحبا، أين الطلب؟', 'زبون'];
  const { conversation, contact } = await writeAsContact(platform, { name, text });
  const { _id } = conversation;
  await call(200, 'PATCH', `/v1/conversations/${_id}`, { body: { tags: [tag] } });
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { tags: [tag] } });
  await call(201, 'POST', '/v1/messages/note', { body: { conversationId: _id, message: { content: 'اتصل بها غدا' } } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${_id}` });
  const expectRightToLeft = async (...texts: string[]): Promise<void> => {
    for (const each of texts)
      await waitUntil(`${each} from right to left at ${page.url()}`, async () => {
        const found = await readDirections(page.getByText(each, { exact: true }));
        return found.length > 0 && found.every((direction) => direction === 'rtl');
      });
  };
  await page.getByRole('log').getByText(text).waitFor();
  // The author of the note is named before it, from left to right.
  await expectRightToLeft(name, text, 'اتصل بها غدا');
  await page.getByRole('button', { name: 'Contact details' }).click();
  await expectRightToLeft(name, tag);
  await page.getByRole('searchbox').first().fill('مرحبا');
  await expectRightToLeft(name, text);
  await page.goto(`${platform.url}/console/board`);
  await expectRightToLeft(name);
  await page.goto(`${platform.url}/console/contacts`);
  await expectRightToLeft(name, tag);
  await page.goto(`${platform.url}/console/contacts/${contact._id}`);
  await expectRightToLeft(name);
  assert.deepEqual(complaints(), []);
  await close();
});

test('what the platform refuses is said in the language of the console', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { language: 'pt-BR', path: '/users' });
  const { email } = (await call(200, 'GET', '/v1/users')).body.result[0];
  await page.getByRole('button', { name: 'Convidar uma pessoa' }).click();
  const dialog = findDialog(page);
  const invite = async (name: string): Promise<void> => {
    await dialog.getByLabel('Nome').fill(name);
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByRole('button', { name: 'Enviar o convite' }).click();
  };
  await invite('a'.repeat(1_201));
  await dialog.getByText('deve ter no máximo 200 caracteres').waitFor();
  await invite('Ana');
  await dialog.getByText('Outro usuário já tem este e-mail.').waitFor();
  assert.deepEqual(
    complaints().filter((text) => !/status of 4/.test(text)),
    [],
  );
  await close();
});

test('each rule of the API that a value can break has a text in Portuguese and in Spanish', () => {
  const message = 'in English, at most 5';
  for (const code of [...listRuleCodes(), 'INVALID'])
    for (const language of ['pt-BR', 'es'] as const)
      assert.notEqual(explainFault({ code, message }, language), message, `${language} ${code}`);
});

test('the limit and the format that a value breaks are explained in Portuguese and in Spanish', async () => {
  const { body } = await call(400, 'POST', '/v1/contacts', { body: { name: 'a'.repeat(201), email: 'ana' } });
  const explain = (language: 'pt-BR' | 'es'): string[] =>
    body.errors.map((fault: Json) => explainFault(fault, language));
  assert.deepEqual(explain('pt-BR'), ['deve ter no máximo 200 caracteres', 'deve ser um endereço de e-mail']);
  assert.deepEqual(explain('es'), ['debe tener como máximo 200 caracteres', 'debe ser una dirección de correo']);
});

test('the reasons why a domain of single sign-on is refused have texts in Portuguese and in Spanish', () => {
  const message = 'in English';
  for (const code of ['DOMAIN_NOT_PROVEN', 'DOMAIN_TAKEN'])
    for (const language of ['pt-BR', 'es'] as const)
      assert.notEqual(explainFault({ code, message }, language), message);
});

test('a wrong phone number is explained in Portuguese and in Spanish, without English words', async () => {
  for (const phone_number of ['123', '+123']) {
    const { body } = await call(400, 'POST', '/v1/contacts', { body: { name: 'Ana', phone_number } });
    const [fault] = body.errors;
    assert.match(explainFault(fault, 'pt-BR'), /^não é um número de telefone válido/);
    assert.match(explainFault(fault, 'es'), /^no es un número de teléfono válido/);
  }
});

test('the preview of a message is one line without the marks of WhatsApp, in the list and in the quote', async () => {
  const { conversation } = await writeAsContact(platform, {
    name: 'Noa Lima',
    text: '*Oi*,\n_tudo_ bem? `a*b*` 2*3*4',
  });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const row = page.locator('[data-conversation]').filter({ hasText: 'Noa Lima' });
  await row.getByText('Oi, tudo bem? a*b* 2*3*4', { exact: true }).waitFor();
  await page.getByRole('log').locator('strong').getByText('Oi', { exact: true }).waitFor();
  await sendText(platform, conversation._id, { content: 'Sim, *tudo*' });
  await row.getByText('Sim, tudo', { exact: true }).waitFor();
  await close();
});
