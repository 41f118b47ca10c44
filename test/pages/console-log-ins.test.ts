/** Log-ins without a password in the console: by the provider of the company and with a passkey, by mouse and by keyboard alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsoleAt, openEnglishPage, waitForDialog } from '../support/console.ts';
import { CLIENT, startProvider } from '../support/openid.ts';
import { createPerson, PASSWORD, readMailToken, resetPassword, waitForMail } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';
import { findPort } from '../support/ports.ts';

// Browsers make no passkeys for a bare IP address.
const PORT = String(await findPort());
const platform = await startPlatform({ env: { PORT, PUBLIC_URL: `http://localhost:${PORT}` } });
const provider = await startProvider();
const browser = await startBrowser();
const { url, demo } = platform;

/** Presses Tab until the focus is on a button whose name is this text. */
async function tabTo(page: Page, name: string): Promise<void> {
  const target = page.getByRole('button', { name, exact: true }).and(page.locator(':focus'));
  for (let presses = 0; (await target.count()) === 0; presses += 1) {
    assert.ok(presses < 100, `Tab never reaches ${name}`);
    await page.keyboard.press('Tab');
  }
}

/** Adds an authenticator that verifies its person without asking. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const withoutErrors = (complaints: string[]): string[] => complaints.filter((text) => !/status of 40[013]/.test(text));

test('an owner sets the provider and tests the connection, and a colleague comes back from the provider to the page that they wanted', async () => {
  const { _id, email: former } = await createPerson(platform, demo._id, 'OWNER');
  const email = `${_id}@acme.test`;
  await platform.database.sql('update people set email = $2 where email = lower($1)', [former, email]);
  await platform.database.sql('update users set email = $2 where _id = $1', [_id, email]);
  const { page, complaints, close } = await openConsoleAt({ url, email }, browser, { path: '/company' });
  const section = page.getByRole('region', { name: 'Single sign-on' });
  assert.equal(
    await section.getByRole('textbox', { name: 'Redirect URI' }).inputValue(),
    `${url}/console/single-sign-on`,
  );
  await section.getByRole('textbox', { name: 'Issuer' }).fill(provider.issuer);
  await section.getByRole('textbox', { name: 'Client ID' }).fill(CLIENT.client_id);
  await section.getByLabel('Client secret').fill(CLIENT.client_secret);
  await section.getByRole('textbox', { name: 'E-mail domains' }).fill('gmail.com');
  await section.getByRole('button', { name: 'Save single sign-on' }).click();
  await section
    .getByText(/public mail service/)
    .first()
    .waitFor();
  await section.getByRole('textbox', { name: 'E-mail domains' }).fill('acme.test');
  await section.getByLabel('Users can log in with single sign-on').check();
  await section.getByLabel('Create users at their first log-in').check();
  await section.getByRole('button', { name: 'Save single sign-on' }).click();
  await section.getByText('A secret is stored.').waitFor();
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
  await section.getByRole('textbox', { name: 'E-mail domains' }).press('Enter');
  assert.equal((await saved).status(), 200);
  await section.getByRole('textbox', { name: 'E-mail domains' }).and(page.locator(':focus')).waitFor();
  provider.behave({ describe: { issuer: 'https://another.example' } });
  await section.getByRole('button', { name: 'Test connection' }).click();
  await section.getByText('The provider has another issuer.').waitFor();
  provider.behave();
  await section.getByRole('button', { name: 'Test connection' }).click();
  await section.getByText('The provider answers correctly.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(withoutErrors(complaints()), []);
  await close();

  // By keyboard alone.
  const visitor = await openEnglishPage(browser);
  await visitor.page.goto(`${url}/console/contacts`);
  await visitor.page.getByLabel('E-mail').waitFor();
  await tabTo(visitor.page, 'Log in with single sign-on');
  await visitor.page.keyboard.press('Enter');
  await visitor.page.getByRole('heading', { name: 'Single sign-on' }).waitFor();
  await visitor.page.getByLabel('E-mail').and(visitor.page.locator(':focus')).waitFor();
  assert.deepEqual(await findBarriers(visitor.page), []);
  await visitor.page.keyboard.type('nobody@elsewhere.test');
  await visitor.page.keyboard.press('Enter');
  await visitor.page.getByText('Single sign-on is not available for this address.').waitFor();
  await visitor.page.getByLabel('E-mail').press('ControlOrMeta+a');
  await visitor.page.keyboard.type('ana@acme.test');
  await visitor.page.keyboard.press('Enter');
  await visitor.page.waitForURL(`${url}/console/contacts`);
  await visitor.page.getByRole('heading', { name: 'Contacts' }).waitFor();
  await visitor.page.context().close();
});

test('what the provider answers wrongly is refused with a page that says why, from where the log-in begins again', async () => {
  provider.behave({ claims: { sub: 'eve', email: 'eve@elsewhere.test', email_verified: true } });
  const { page } = await openEnglishPage(browser);
  await page.goto(`${url}/console?company=${demo._id}`);
  await page.getByRole('button', { name: 'Log in with single sign-on' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'You are not logged in' }).waitFor();
  await page.getByText('Your company does not allow addresses of this domain.').waitFor();
  assert.equal(new URL(page.url()).search, '');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Back to the log-in' }).click();
  await page.getByLabel('Password').waitFor();
  await page.context().close();
});

test('by keyboard alone a person adds a passkey, logs in with it and without a password, gives it after the password, renames and removes it', async () => {
  const { email } = await createPerson(platform, demo._id, 'OPERATOR');
  const { page, complaints, close } = await openConsoleAt({ url, email }, browser, { path: '/profile' });
  await addAuthenticator(page);
  await page.getByText('You have no passkeys yet.').waitFor();
  await tabTo(page, 'Add a passkey');
  await page.keyboard.press('Enter');
  await waitForDialog(page);
  assert.equal(await findDialog(page).getByLabel('Name').inputValue(), 'Chrome on Linux');
  await page.keyboard.type('Laptop');
  await page.keyboard.press('Tab');
  await page.keyboard.type('another password');
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  await page.getByText('The password is wrong.').waitFor();
  await findDialog(page).getByLabel('Password').press('ControlOrMeta+a');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Your passkeys' }).getByText('Laptop').waitFor();
  await tabTo(page, 'Add a passkey');
  await page.keyboard.press('Enter');
  await findDialog(page).getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('This device already has a passkey for your account.').waitFor();

  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel('E-mail').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await tabTo(page, 'Log in with a passkey');
  await page.keyboard.press('Enter');
  await page.getByText(/last used on/).waitFor();

  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Use your passkey' }).waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).and(page.locator(':focus')).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');

  await page.getByRole('button', { name: 'Rename: Laptop' }).waitFor();
  await tabTo(page, 'Rename: Laptop');
  await page.keyboard.press('Enter');
  await waitForDialog(page);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Phone');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Rename: Phone' }).and(page.locator(':focus')).waitFor();
  await tabTo(page, 'Remove: Phone');
  await page.keyboard.press('Enter');
  await waitForDialog(page);
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('You have no passkeys yet.').waitFor();

  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.getByText('This passkey does not log you in.').waitFor();
  assert.deepEqual(withoutErrors(complaints()), []);
  await close();
});

test('a fault of the platform leaves somebody who is logged in where they are, and a page that is opened offers to try again', async () => {
  const { email } = await createPerson(platform, demo._id, 'OPERATOR');
  const { page, close } = await openConsoleAt({ url, email }, browser, { path: '/profile' });
  await addAuthenticator(page);
  const me = '**/v1/auth/me';
  await page.route(me, (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await findDialog(page).getByLabel('Password').fill(PASSWORD);
  const asked = page.waitForResponse(me);
  await page.keyboard.press('Enter');
  await (await asked).finished();
  await page.getByText('not used yet').waitFor();
  await page.reload();
  await page.getByText('The platform cannot be reached.').waitFor();
  await page.unroute(me);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('not used yet').waitFor();
  await close();
});

test('a passkey that was removed is named as the reason when it is given after the password', async () => {
  const { email } = await createPerson(platform, demo._id, 'OPERATOR');
  const { page, close } = await openConsoleAt({ url, email }, browser, { path: '/profile' });
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await findDialog(page).getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('not used yet').waitFor();
  // The person has another one elsewhere.
  await platform.database.sql(
    `update passkeys set credential_id = 'another', public_key = ''::bytea where email = lower($1)`,
    [email],
  );
  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Use a passkey' }).press('Enter');
  await page.getByText('This passkey does not log you in. It may have been removed.').waitFor();
  await close();
});

test('a user whom the provider has created is mailed a link where a password is needed, and removes the link with the provider once there is one', async () => {
  const email = 'nina@acme.test';
  provider.behave({ claims: { sub: 'nina', email, email_verified: true, name: 'Nina Alves' } });
  const { page, complaints } = await openEnglishPage(browser);
  await page.goto(`${url}/console/profile`);
  await page.getByRole('button', { name: 'Log in with single sign-on' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  const card = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });
  for (const name of ['Two-factor log-in', 'Passkeys']) await card(name).getByText('This needs a password.').waitFor();
  await card('Single sign-on').getByText('To unlink it, set a password first.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await card('Two-factor log-in').getByRole('button', { name: 'Send the link' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('This installation has no mail server. The link was saved').first().waitFor();
  await resetPassword(platform, 200, readMailToken(await waitForMail(platform, email)), PASSWORD);

  // The new password has ended the session.
  await page.reload();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await card('Two-factor log-in').getByRole('button', { name: 'Set up' }).waitFor();
  await tabTo(page, 'Unlink');
  await page.keyboard.press('Enter');
  await page.getByText('Sessions that you opened with single sign-on end.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  const text = page.getByText('You are no longer linked with an account at the provider.');
  await text.and(page.locator(':focus')).waitFor();
  assert.deepEqual(withoutErrors(complaints), []);
  await page.context().close();
});

test('an administrator unlinks a user from the provider by keyboard', async () => {
  const { email } = await createPerson(platform, demo._id, 'ADMIN');
  const { _id } = await platform.createUser(demo._id, 'OPERATOR', 'Rui Moreira');
  await platform.database.sql(
    `update users set single_sign_on_issuer = 'https://id.example', single_sign_on_subject = _id where _id = $1`,
    [_id],
  );
  const { page, complaints, close } = await openConsoleAt({ url, email }, browser, { path: '/users' });
  await page.getByRole('row', { name: /Rui Moreira/ }).press('Enter');
  await tabTo(page, 'Unlink from single sign-on');
  await page.keyboard.press('Enter');
  await page.getByText('For an account at the provider that was replaced.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  await page.getByText('Rui Moreira is no longer linked with an account at the provider').first().waitFor();
  await page.getByRole('row', { name: /Rui Moreira/ }).press('Enter');
  await findDialog(page).getByLabel('Can log in').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Unlink from single sign-on' }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('by keyboard alone a user whose company requires a second factor registers a passkey instead of an app', async () => {
  const company = await platform.createCompany('Strict');
  const { email } = await createPerson(platform, company._id, 'OPERATOR');
  await platform.database.sql('update companies set second_factor_required = true where _id = $1', [company._id]);
  const { page } = await openEnglishPage(browser);
  await addAuthenticator(page);
  await page.goto(`${url}/console/contacts`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Set up two-factor log-in' }).waitFor();
  await page.getByLabel('Password').and(page.locator(':focus')).waitFor();
  await tabTo(page, 'Use a passkey instead');
  await page.keyboard.press('Enter');
  await waitForDialog(page);
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Contacts' }).waitFor();
  await page.context().close();
});

test('an owner who removes the provider keeps the focus in the form', async () => {
  const { email } = await createPerson(platform, demo._id, 'OWNER');
  const { page, close } = await openConsoleAt({ url, email }, browser, { path: '/company' });
  await tabTo(page, 'Remove single sign-on');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save single sign-on' }).and(page.locator(':focus')).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Issuer' }).inputValue(), '');
  await close();
});
