/** The journeys of people who manage the company's API keys in the console. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('a key is created with few rights, its token is shown once, until a button is pressed, and works, and it ends when the key is revoked', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/api-keys' });
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Name').fill('Online shop');
  await dialog.getByLabel('Expires').selectOption('After 30 days');
  await dialog.getByRole('checkbox', { name: 'Short token' }).check();
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Nothing' }).click();
  await dialog.getByRole('checkbox', { name: 'Contacts: Read' }).check();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  await dialog.getByText('It is shown only once').waitFor();
  const key = await dialog.getByLabel('Token', { exact: true }).inputValue();
  assert.match(key, /^pk_.{43}$/);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  assert.ok(await dialog.getByLabel('Token', { exact: true }).isVisible(), 'Escape closes the only view of the token');
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await platform.call(200, 'GET', '/v1/contacts', { key });
  await platform.call(403, 'GET', '/v1/inboxes', { key });

  const row = page.getByRole('row', { name: /Online shop/ });
  assert.match(await row.innerText(), new RegExp(`${key.slice(-4)}[^]*Read only: Contacts[^]*Active`));
  await row.press('Enter');
  assert.ok(!(await dialog.innerText()).includes(key), 'the token is shown a second time');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await platform.call(200, 'GET', '/v1/contacts', { key });
  await dialog.getByRole('button', { name: /Revoke the key/ }).click();
  await row.getByText('Revoked').waitFor();
  await platform.call(401, 'GET', '/v1/contacts', { key });
  assert.deepEqual(complaints(), []);
  await close();
});

test('an assistant connects with the line that a new key shows', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/api-keys' });
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Name').fill('Claude');
  await dialog.getByRole('checkbox', { name: 'Short token' }).check();
  await dialog.getByRole('button', { name: 'Assistant' }).click();
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  await dialog.getByText('Connect an assistant').click();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByLabel('Program').selectOption('Cursor');
  const config = JSON.parse(await dialog.getByLabel('Connection', { exact: true }).inputValue());
  const { url, headers } = config.mcpServers.parley;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  const text = await answer.text();
  assert.ok(text.includes('"add_note"') && !text.includes('"save_contact"'), text.slice(0, 500));
  assert.deepEqual(complaints(), []);
  await close();
});

test('an administrator can give a key all rights of their own, and no other', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/api-keys', role: 'ADMIN' });
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = findDialog(page);
  assert.ok(await dialog.getByRole('checkbox', { name: 'Company: Delete' }).isDisabled());
  await dialog.getByLabel('Name').fill('All that I may');
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  await dialog.getByText('It is shown only once').waitFor();
  const { body } = await platform.call(200, 'GET', '/v1/api-keys?limit=1');
  const [{ name, scopes }] = body.result;
  assert.equal(name, 'All that I may');
  assert.ok(scopes.includes('contacts:*') && scopes.includes('companies:update') && !scopes.includes('companies:*'));
  assert.deepEqual(complaints(), []);
  await close();
});
