/** The journey of somebody who connects a LinkedIn account in the console, and logs in again when the network has signed it out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { logIn, setNetwork } from '../support/professional-network.ts';

// The faults of the network's server would also reach the tests of other files.
const platform = await startPlatform({ isOwn: true });
const browser = await startBrowser();

test('an account is connected by its log-in link after a refusal in words, and logs in again when the network has signed it out', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  await page.getByRole('button', { name: 'Connect an inbox' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: /^LinkedIn/ }).click();
  await dialog.getByRole('button', { name: 'Create the link' }).click();
  await dialog.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor();
  await dialog.getByLabel('Name').fill('Vera on LinkedIn');
  await setNetwork(platform, { faults: { link: [{ code: 400, message: 'errors/not_allowed', times: 1 }] } });
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create the link' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'A fault that was set' }).waitFor();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('No one has logged in with an account yet.').waitFor();
  const link = dialog.getByLabel('Log-in link', { exact: true });
  await link.waitFor();
  const opened = await dialog.getByRole('link', { name: 'Open the log-in page' }).getAttribute('href');
  assert.equal(opened, await link.inputValue());
  assert.deepEqual(await findBarriers(page), []);
  assert.equal(await dialog.getByText('Waiting for log-in').count(), 1);
  const network = await page.context().newPage();
  await network.goto(await link.inputValue());
  assert.deepEqual(await findBarriers(network), []);
  await network.getByRole('button', { name: 'Log in' }).click();
  await network.getByText('The platform shows the account in a moment').waitFor();
  await network.close();
  await dialog.getByText('The account of Vera Lima is connected').waitFor();
  await dialog.getByRole('link', { name: 'All settings' }).click();
  await page.getByText('https://www.linkedin.com/in/vera-lima').waitFor();

  const { accounts } = await platform.sandbox('GET', '/sandbox/network/accounts');
  const account = accounts.at(-1)?.id;
  await platform.sandbox('PATCH', '/sandbox/network/accounts', { id: account, status: 'CREDENTIALS' });
  await page.getByText(/Log in again to reconnect it.*CREDENTIALS/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Log in again' }).click();
  await link.waitFor();
  assert.equal((await logIn(platform, await link.inputValue())).account, account);
  await dialog.getByText('The account of Vera Lima is connected').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).first().click();
  await page.getByText('The network has accepted the inbox.').waitFor();
  await page.getByRole('button', { name: 'All inboxes' }).click();
  await page.getByRole('row', { name: /Vera on LinkedIn.*LinkedIn.*Vera Lima.*Connected/ }).waitFor();
  // The browser reports each answer that is an error.
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});
