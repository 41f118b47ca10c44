/** Two-factor log-in in the console: a person sets it up and logs in with it by keyboard alone, and a company requires it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, openConsoleAt, waitForDialog } from '../support/console.ts';
import { createPerson, PASSWORD } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const STEP_MS = 30_000;

/** Presses Tab until the focus is on an element whose name is this text. */
async function tabTo(page: Page, name: string): Promise<void> {
  const target = page.getByRole('button', { name, exact: true }).and(page.locator(':focus'));
  for (let presses = 0; (await target.count()) === 0; presses += 1) {
    assert.ok(presses < 100, `Tab never reaches ${name}`);
    await page.keyboard.press('Tab');
  }
}

/** Types the first code of an authenticator app and returns its secret. The field has the focus. */
async function typeFirstCode(page: Page): Promise<string> {
  const secret = await page.getByLabel('Or type this key into the app', { exact: true }).inputValue();
  await page.getByLabel('Password').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Tab');
  await page.getByLabel('Code', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong or was used before.').waitFor();
  await page.getByLabel('Code', { exact: true }).press('ControlOrMeta+a');
  await page.keyboard.type(new TOTP({ secret }).generate());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
  return secret;
}

/** Makes the page read again whether two-factor log-in is on, as it does when a user comes back to it after a minute. */
async function readAgain(page: Page): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.url().endsWith('/auth/second-factor') && response.request().method() === 'GET',
  );
  await page.evaluate(`const real = Date.now;
    Date.now = () => real() + 60_000;
    dispatchEvent(new Event('visibilitychange'));`);
  assert.equal((await (await answered).json()).enabled, true);
}

const readCodes = (page: Page): Promise<string[]> =>
  page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();

test('by keyboard alone a person sets up two-factor log-in, sees the recovery codes until they are kept, logs in with a code and with a recovery code, and turns it off', async () => {
  const { email } = await createPerson(platform, platform.demo._id, 'OPERATOR');
  const { page, complaints, close } = await openConsoleAt({ url: platform.url, email }, browser, { path: '/profile' });
  await page.getByRole('heading', { name: 'Two-factor log-in' }).waitFor();
  await tabTo(page, 'Set up');
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await tabTo(page, 'Cancel');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Set up', exact: true }).and(page.locator(':focus')).waitFor();
  // A set-up that cannot begin is tried again.
  const begin = '**/v1/auth/second-factor/begin';
  await page.route(begin, (route) => route.abort());
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute(begin);
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = await typeFirstCode(page);
  await readAgain(page);
  const codes = await readCodes(page);
  assert.equal(codes.length, 10);
  const saved = page.waitForEvent('download');
  await tabTo(page, 'Download');
  await page.keyboard.press('Enter');
  assert.equal((await saved).suggestedFilename(), 'parley-recovery-codes.txt');
  assert.deepEqual(await findBarriers(page), []);
  await tabTo(page, 'I have kept them');
  await page.keyboard.press('Enter');
  await page.getByText('10 recovery codes left').waitFor();

  await page.context().clearCookies();
  await page.reload();
  const logInAgain = async (): Promise<void> => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await page.getByLabel('Code', { exact: true }).and(page.locator(':focus')).waitFor();
  };
  await logInAgain();
  assert.equal(await page.getByLabel('Code', { exact: true }).getAttribute('autocomplete'), 'one-time-code');
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.insertText('000 000');
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong or was used before.').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(new TOTP({ secret }).generate({ timestamp: Date.now() + STEP_MS }));
  await page.keyboard.press('Enter');
  await page.getByText('10 recovery codes left').waitFor();

  await page.context().clearCookies();
  await page.reload();
  await logInAgain();
  await page.keyboard.insertText('000000');
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong or was used before.').waitFor();
  await tabTo(page, 'Use a recovery code');
  await page.keyboard.press('Enter');
  await page.getByLabel('Recovery code').and(page.locator(':focus')).waitFor();
  assert.equal(await page.getByText('The code is wrong or was used before.').count(), 0);
  await page.keyboard.insertText(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await page.getByText('9 recovery codes left').waitFor();

  await tabTo(page, 'Turn off');
  await page.keyboard.press('Enter');
  await waitForDialog(page);
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Tab');
  await page.keyboard.insertText(codes[1] ?? '');
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Set up', exact: true }).waitFor();
  // The browser reports each answer that is an error.
  assert.deepEqual(
    complaints().filter((text) => !/status of 400|ERR_FAILED/.test(text)),
    [],
  );
  await close();
});

test('an owner requires it after a question that counts who has none, a colleague can do nothing before the set-up, and the owner resets it', async () => {
  const owner = await openConsole(platform, browser, { path: '/company' });
  const { page } = owner;
  const require = page.getByLabel('Require two-factor log-in');
  await require.waitFor();
  assert.equal(await require.isDisabled(), true);
  await page.getByRole('link', { name: 'Open your profile' }).click();
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  await typeFirstCode(page);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('10 recovery codes left').waitFor();

  const colleague = await createPerson(platform, platform.demo._id, 'ADMIN');
  const at = { url: platform.url, email: colleague.email };
  const other = await openConsoleAt(at, browser, { path: '/contacts' });
  await page.goto(`${platform.url}/console/company`);
  await require.check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const { result: users } = (await platform.call(200, 'GET', '/v1/users?limit=100')).body;
  const without = users.filter(({ status, second_factor }: Json) => status === 'ACTIVE' && !second_factor).length;
  const question = new RegExp(`^${without} active users? ha(s|ve) no second factor\\.`);
  await findDialog(page).getByText(question).waitFor();
  assert.equal(
    (await platform.call(200, 'GET', `/v1/companies/${platform.demo._id}`)).body.second_factor_required,
    false,
  );
  await findDialog(page).getByRole('button', { name: 'Require it' }).click();
  await page.getByText('Saved', { exact: true }).first().waitFor();

  await other.page.reload();
  await other.page.getByRole('heading', { name: 'Set up two-factor log-in' }).waitFor();
  assert.equal(await other.page.getByRole('navigation').count(), 0);
  assert.deepEqual(await findBarriers(other.page), []);
  await typeFirstCode(other.page);
  await other.page.getByRole('button', { name: 'I have kept them' }).click();
  await other.page.getByRole('navigation').first().waitFor();

  await page.goto(`${platform.url}/console/users`);
  const { body: user } = await platform.call(200, 'GET', `/v1/users/${colleague._id}`);
  const row = page.getByRole('row').filter({ hasText: user.email });
  await row.getByText('On', { exact: true }).waitFor();
  await row.click();
  await page.getByRole('button', { name: 'Reset two-factor log-in' }).click();
  await page.getByRole('button', { name: 'Yes, reset' }).click();
  await findDialog(page).waitFor({ state: 'detached' });
  await row.getByText('–', { exact: true }).first().waitFor();
  await Promise.all([owner.close(), other.close()]);
});
