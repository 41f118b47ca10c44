/** Knowledge in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { makeTextPdf } from '../support/pdf.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('a text is written beside its preview, found by a question with its score, changed, and removed', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/knowledge' });
  await page.getByText('No knowledge yet').waitFor();
  await page.getByRole('button', { name: 'Write a text' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Loja');
  await page
    .getByLabel('Text', { exact: true })
    .fill('# Horas\n\nAbrimos às **nove**. <b onclick="x()">Oi</b>\n\n- Segunda');
  const preview = page.locator('section', { hasText: 'Preview' });
  await preview.locator('strong', { hasText: 'nove' }).waitFor();
  await preview.getByRole('listitem').filter({ hasText: 'Segunda' }).waitFor();
  assert.equal(await preview.locator('b').count(), 0);
  assert.deepEqual(await findBarriers(page), []);
  await page.getByLabel('Language of the text').selectOption({ label: 'Portuguese' });
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Loja' }).waitFor();
  await page.getByText('Ready', { exact: true }).waitFor();

  await page.goto(`${platform.url}/console/knowledge/search`);
  await page.getByLabel('Ask a question').fill('quando abrem?');
  const passages = page.getByRole('list', { name: 'Passages' });
  const found = passages.getByRole('listitem').filter({ hasText: 'Abrimos às nove.' }).first();
  await found.getByText(/^Score \d/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByLabel('Ask a question').fill('frixel');
  await found.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Synonyms' }).click();
  await findDialog(page).getByLabel('Portuguese').fill('abrimos, frixel\n\nbolo, torta');
  assert.deepEqual(await findBarriers(page), []);
  await findDialog(page).getByRole('button', { name: 'Save' }).click();
  await found.getByText(/^Score \d/).waitFor();
  await found.getByRole('link', { name: 'Loja › Horas' }).click();

  await page.getByLabel('Name', { exact: true }).fill('Padaria');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Padaria' }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Yes, remove' }).click();
  await page.getByText('Padaria was removed').waitFor();
  await page.getByText('No knowledge yet').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a file is uploaded and becomes ready by itself, and one that cannot be read shows why and can be tried again', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/knowledge' });
  const upload = async (name: string, buffer: Buffer): Promise<void> => {
    await page.getByRole('button', { name: 'Upload a file' }).click();
    const form = findDialog(page);
    await form.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/pdf', buffer });
    await form.getByText(name).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await form.getByRole('button', { name: 'Upload a file' }).click();
    await form.waitFor({ state: 'hidden' });
  };
  await upload('tortas.pdf', makeTextPdf([['Entregamos tortas.'], ['E bolos.']]));
  await page.getByRole('row', { name: /tortas\.pdf Ready\s+PDF 1/ }).waitFor();
  await upload('segredo.pdf', makeTextPdf([['Segredo']], { isEncrypted: true }));
  const failed = page.getByRole('row', { name: /segredo\.pdf Failed The file is protected by a password/ });
  await failed.waitFor();
  await page.getByLabel('Status').selectOption({ label: 'Failed' });
  await page.getByRole('row', { name: /tortas/ }).waitFor({ state: 'detached' });
  await failed.press('Enter');
  await page.getByRole('link', { name: /segredo\.pdf/ }).waitFor();
  const tried = page.waitForResponse((response) => response.url().endsWith('/retry'));
  await page.getByRole('button', { name: 'Try again' }).click();
  assert.equal((await tried).status(), 201);
  await page.getByRole('alert').filter({ hasText: 'protected by a password' }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('who may only read sees texts and passages without a button that changes anything', async () => {
  const body = { name: 'Endereço', content: 'Rua das Flores, 12' };
  await platform.call(201, 'POST', '/v1/knowledge/autcl', { key: platform.demo.key, body });
  const { page, complaints, close } = await openConsole(platform, browser, { role: 'VIEWER', path: '/knowledge' });
  const row = page.getByRole('row', { name: /Endereço/ });
  await row.waitFor();
  assert.equal(await page.getByRole('button', { name: /Upload|Write/ }).count(), 0);
  await row.press('Enter');
  assert.equal(await page.getByLabel('Text', { exact: true }).isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: /Save|Remove/ }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});
