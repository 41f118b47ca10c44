/** The journeys of somebody who is invited by mail, and later loses the password, from the console to the mail and back. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { simpleParser } from 'mailparser';
import type { Page } from 'playwright-core';
import { chooseTexts } from '../../web/set-password/texts.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, openConsoleAt, openEnglishPage } from '../support/console.ts';
import { startSmtpServer } from '../support/mail-servers.ts';
import { createPerson, freshEmail, readMailToken, waitForMail } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const texts = chooseTexts(['en']).texts;

/** Invites a person in the console. */
async function invite(page: Page, name: string, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByLabel('Role').selectOption('Operator');
  await dialog.getByRole('button', { name: 'Send the invitation' }).click();
}

/** Reads the link that is shown where no mail can be sent. */
const readShownLink = (page: Page): Promise<string> =>
  findDialog(page).getByLabel('Invitation link', { exact: true }).inputValue();

/** Opens the link of a mail. */
async function openMail(page: Page, email: string, mail: number): Promise<void> {
  const token = readMailToken(await waitForMail(platform, email, mail));
  await page.goto(`${platform.url}/set-password#token=${token}`);
}

async function choosePassword(page: Page, password: string): Promise<void> {
  await page.getByLabel(texts.password).fill(password);
  await page.getByLabel(texts.again).fill(password);
  await page.getByRole('button', { name: texts.save }).click();
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${platform.url}/console`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

test('an invitation offers its link where no mail can be sent; the mailed link greets the invited person, who chooses a password and is logged in, and a lost password is replaced by another link', async () => {
  const email = freshEmail('invited');
  const owner = await openConsole(platform, browser, { path: '/users' });
  await invite(owner.page, 'Rita Prado', email);
  const link = await readShownLink(owner.page);
  assert.match(link, /^http.*\/set-password#token=shown\.[\w-]+&accept$/);
  await findDialog(owner.page).getByRole('button', { name: 'Close' }).last().click();
  await owner.page.getByRole('row', { name: /Rita Prado.*Invited/ }).waitFor();

  const { page } = await openEnglishPage(browser);
  await openMail(page, email, 1);
  await page.getByRole('heading', { name: 'Welcome to Demo' }).waitFor();
  await page
    .getByText(`Hello Rita Prado. Choose a password. You will log in with it and ${email} from now on.`)
    .waitFor();
  await choosePassword(page, 'café com pão de queijo');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText(`Rita Prado · ${email}`).waitFor();
  await owner.page.reload();
  await owner.page.getByRole('row', { name: /Rita Prado.*Active/ }).waitFor();
  assert.deepEqual(owner.complaints(), []);
  await owner.close();

  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await logIn(page, email, 'a password that is wrong');
  await page.locator('[aria-invalid=true]').waitFor();
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  assert.equal(await page.getByLabel('E-mail').inputValue(), email);
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: `no mail server. If ${email} has an account here, the link` })
    .waitFor();
  await openMail(page, email, 2);
  await page.getByRole('heading', { name: texts.title }).waitFor();
  await choosePassword(page, 'another cup of coffee');
  await page.getByRole('heading', { name: texts.doneTitle }).waitFor();
  await logIn(page, email, 'café com pão de queijo');
  await page.locator('[aria-invalid=true]').waitFor();
  await page.getByLabel('Password').fill('another cup of coffee');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.context().close();
});

test('the page of a shown invitation names the company and the person, offers only to accept it, and logs in a new person who has chosen a password', async () => {
  const owner = await openConsole(platform, browser, { path: '/users' });
  const email = freshEmail('shown');
  await invite(owner.page, 'Caio Novo', email);
  const link = await readShownLink(owner.page);
  assert.deepEqual(owner.complaints(), []);
  await owner.close();
  const { page } = await openEnglishPage(browser);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Demo has invited you' }).waitFor();
  await page.getByText(`Hello Caio Novo. The invitation is for ${email}. If you are new here,`).waitFor();
  assert.deepEqual(await page.getByRole('button').allTextContents(), [texts.accept]);
  await page.getByRole('button', { name: texts.accept, exact: true }).click();
  await page.getByRole('heading', { name: 'Welcome to Demo' }).waitFor();
  await choosePassword(page, 'pão de queijo com café');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.context().close();
});

test('an installation with a mail server mails the link of an invitation and of a lost password, says so, and shows no link', async () => {
  const smtp = await startSmtpServer(
    { after },
    { secure: false, authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] },
  );
  const mailing = await startPlatform({ env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
  const readToken = async (email: string, mail: number): Promise<string> => {
    const { raw } = await waitUntil('the mail', () => smtp.taken.filter(({ to }) => to.includes(email))[mail - 1]);
    return readMailToken(await simpleParser(Buffer.from(raw, 'latin1')));
  };
  const { email: owner } = await createPerson(mailing, mailing.demo._id, 'OWNER');
  const { page, complaints, close } = await openConsoleAt({ url: mailing.url, email: owner }, browser, {
    path: '/users',
  });
  const email = freshEmail('mailed');
  await invite(page, 'Nina Nova', email);
  await page.getByText(`The invitation is on its way to ${email}`, { exact: true }).waitFor();
  assert.equal(await findDialog(page).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();

  const { page: mailed } = await openEnglishPage(browser);
  await mailed.goto(`${mailing.url}/set-password#token=${await readToken(email, 1)}`);
  await mailed.getByRole('heading', { name: 'Welcome to Demo' }).waitFor();
  await mailed.goto(`${mailing.url}/console`);
  await mailed.getByRole('button', { name: 'Forgot your password?' }).click();
  await mailed.getByLabel('E-mail').fill(owner);
  await mailed.getByRole('button', { name: 'Send the link' }).click();
  const said = mailed.getByRole('status').filter({ hasText: 'on its way' });
  assert.equal(await said.textContent(), `If ${owner} has an account here, a mail with a link is on its way.`);
  await mailed.goto(`${mailing.url}/set-password#token=${await readToken(owner, 1)}`);
  await mailed.getByRole('heading', { name: texts.title }).waitFor();
  await mailed.context().close();
});
