/** The journey of somebody who works on businesses in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findDialog, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('a business is created with a field of the company, changed, shown with its contacts, and removed after a second press', async () => {
  const { call } = platform;
  const field = { title: 'Industry', slug: 'industry', context: 'business', type: 'TEXT' };
  await call(201, 'POST', '/v1/custom-fields', { body: field });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/businesses' });
  await page.getByRole('button', { name: 'New business' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Padaria Estrela');
  await dialog.getByLabel('Industry').fill('Bakery');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Padaria Estrela' }).waitFor();
  await page.getByText('Bakery').waitFor();
  await page.getByText('No contacts yet').waitFor();
  const [business] = (await call(200, 'GET', '/v1/businesses')).body.result;
  await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana Lima', business: business._id } });
  await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Domain').fill('estrela.example');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('estrela.example').waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('searchbox').fill('estrela');
  await page.getByRole('row', { name: /Padaria Estrela/ }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Yes, remove' }).click();
  await page.getByText('Business removed').waitFor();
  await call(404, 'GET', `/v1/businesses/${business._id}`);
  assert.deepEqual(complaints(), []);
  await close();
});
