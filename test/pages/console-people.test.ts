/** Several people who work at the same browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { fillLogIn, openConsoleAt, waitForSent } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('a draft and a message that was refused are shown to nobody else at the same browser, and are there when their writer comes back', async () => {
  const [ana, rui] = [
    await createPerson(platform, platform.demo._id, 'OPERATOR'),
    await createPerson(platform, platform.demo._id, 'OPERATOR'),
  ];
  await platform.receive({ from: '5511988880071', name: 'Maria Silva', text: 'Olá' });
  const { page, close } = await openConsoleAt({ url: platform.url, email: ana.email }, browser, {
    path: '/inbox/unassigned',
  });
  const leave = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.locator('input[type=email]').waitFor();
  };
  const thread = page.getByRole('log');
  const field = page.getByLabel('Write a message');
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  const body = JSON.stringify({ code: 'INTERNAL_ERROR', title: 'Failed', detail: 'It failed here.', errors: [] });
  const failing = '**/v1/messages/send-text';
  await page.route(failing, (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body }));
  await field.fill('O desconto da Ana');
  await field.press('Enter');
  await page.getByText('Not sent: Something went wrong on the platform.').waitFor();
  await page.unroute(failing);
  await field.fill('Um rascunho da Ana');

  await leave();
  await fillLogIn(page, rui.email);
  await thread.getByText('Olá').waitFor();
  assert.equal(await field.inputValue(), '');
  await field.fill('Olá da parte do Rui');
  await field.press('Enter');
  await waitForSent(thread.getByRole('article').filter({ hasText: 'Rui' }));
  await page.reload();
  await thread.getByText('Olá da parte do Rui').waitFor();
  assert.equal(await field.inputValue(), '');
  assert.equal(await page.getByText('Ana').count(), 0);
  assert.equal(await page.getByText('Not sent').count(), 0);

  await leave();
  await fillLogIn(page, ana.email);
  await page.getByText('Not sent').waitFor();
  await waitUntil('the draft', async () => (await field.inputValue()) === 'Um rascunho da Ana');
  await page.getByRole('button', { name: 'Send again' }).click();
  await waitForSent(thread.getByRole('article').filter({ hasText: 'desconto' }));
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  assert.equal(messages.length, 2);
  await close();
});
