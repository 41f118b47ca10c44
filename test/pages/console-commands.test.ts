/** People who work with the keyboard: they search, run commands, and go from screen to screen by keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('somebody finds a message, assigns and closes its conversation, and goes on, by keyboard alone', async () => {
  await platform.receive({ from: '5511988880011', name: 'Maria Silva', text: 'O pedido 4821 não chegou' });
  const { page, complaints, calls, close } = await openConsole(platform, browser, { path: '/inbox/mine' });
  const { keyboard } = page;
  await keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search and commands' });
  await dialog.getByRole('option', { name: 'Users' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('combobox').evaluate((field: Json) => {
    for (const digit of '4821') field.ownerDocument.execCommand('insertText', false, digit);
  });
  await dialog.getByRole('option', { name: /O pedido 4821/ }).waitFor();
  // What somebody types without a pause is one search.
  assert.equal(calls().filter((path) => /^\/v1\/messages\?.*search=/.test(path)).length, 1);
  await keyboard.press('Enter');
  await page.getByRole('log').getByText('O pedido 4821 não chegou').waitFor();

  await keyboard.press('Control+k');
  await keyboard.type('assign');
  await dialog.getByRole('option', { name: 'Assign to me' }).waitFor();
  await keyboard.press('Enter');
  const read = async () => (await platform.call(200, 'GET', '/v1/conversations')).body.result[0];
  await waitUntil('the owner', async () => (await read()).owner !== null);

  // A letter that is typed is no command.
  await page.getByLabel('Write a message').focus();
  await keyboard.type('e');
  assert.equal((await read()).status, 'OPEN');
  await keyboard.press('Backspace');
  await keyboard.press('Escape');
  await keyboard.press('e');
  await waitUntil('the end of the conversation', async () => (await read()).status === 'CLOSED');

  await keyboard.press('n');
  await page.getByLabel('Write a note').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('[');
  await page.waitForURL('**/inbox/unassigned');
  await keyboard.press('g');
  await keyboard.press('u');
  await page.waitForURL('**/users');
  assert.deepEqual(complaints(), []);
  await close();
});

test('the keys are shown in the language of the user, and work only outside of dialogs', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { language: 'pt-BR', path: '/users' });
  await page.getByRole('button', { name: 'Convidar uma pessoa' }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Atalhos do teclado' });
  await dialog.getByText('Atribuir a mim').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.match(page.url(), /\/users$/);
  assert.deepEqual(complaints(), []);
  await close();
});
