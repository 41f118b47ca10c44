/** The journey of somebody who connects a mailbox in the console. */
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { verifyDkim } from '../support/dkim.ts';
import { MAIL_LOG_IN, startImapServer, startSmtpServer, trustCertificate } from '../support/mail-servers.ts';
import { pushMail, SAMPLE_HEADERS, writeMail } from '../support/mails.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const certificate = trustCertificate({ after });
const mailbox = await startImapServer({ after }, certificate);
const smtp = await startSmtpServer({ after }, certificate);
const platform = await startPlatform();
const browser = await startBrowser();

test('a mailbox is connected with a wrong address and a wrong password corrected, and shows its servers', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  await page.getByRole('button', { name: 'Connect an inbox' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: /^E-mail/ }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Support');
  await dialog.getByLabel('E-mail address').fill('support@shop.example');
  await dialog.getByLabel('Sender name').fill('The shop');
  await dialog.getByLabel('Signature').fill('{{user.name}}\nThe shop');
  await dialog.getByLabel('Server for incoming mails (IMAP)').fill(`http://127.0.0.1:${mailbox.port}`);
  await dialog.getByLabel('Server for outgoing mails (SMTP)').fill(`smtps://127.0.0.1:${smtp.port}`);
  await dialog.getByLabel('User name').fill(MAIL_LOG_IN.username);
  await dialog.getByLabel('Password').fill('wrong');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog
    .getByRole('alert')
    .filter({ hasText: /address of a mail server/ })
    .waitFor();
  await dialog.getByLabel('Server for incoming mails (IMAP)').fill(`imaps://127.0.0.1:${mailbox.port}`);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog.getByText('The server rejected the log-in').waitFor();
  await dialog.getByRole('button', { name: 'Change connection data' }).click();
  await dialog.getByLabel('Password').fill(MAIL_LOG_IN.password);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog.getByText('Write a mail to support@shop.example').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('link', { name: 'All settings' }).click();
  await page.getByText(`imaps://127.0.0.1:${mailbox.port}`).waitFor();
  await page.getByRole('button', { name: 'Enable pushing' }).click();
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  const address = await page.getByLabel('Address', { exact: true }).inputValue();
  assert.deepEqual(await findBarriers(page), []);
  const mail = writeMail(SAMPLE_HEADERS, 'Handed over');
  await pushMail(address, secret, mail);
  await page.getByRole('button', { name: 'Generate a key' }).click();
  const record = await page.getByLabel('Value of the TXT record', { exact: true }).inputValue();
  const name = await page.getByLabel('Name of the TXT record', { exact: true }).inputValue();
  assert.match(name, /^parley-\d{12}\._domainkey\.shop\.example$/);
  await page.getByRole('button', { name: 'The record is published: start signing' }).click();
  await page.getByText(`signed with the key of ${name}`).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  const { body: inboxes } = await platform.call(200, 'GET', '/v1/inboxes');
  const inbox = inboxes.result.find(({ channel }: Json) => channel === 'EMAIL');
  assert.equal(inbox.email_config.signature, '{{user.name}}\nThe shop');
  const { body: contact } = await platform.call(201, 'POST', '/v1/contacts', { body: { email: 'rui@client.example' } });
  const message = { content: 'Signed' };
  const body = { inboxId: inbox._id, contact: contact._id, message };
  assert.equal((await platform.call(201, 'POST', '/v1/messages/send-text', { body })).body.status, 'SENT');
  const der = Buffer.from(/p=(.+)$/.exec(record)?.[1] ?? '', 'base64');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  assert.ok(verifyDkim(smtp.taken.at(-1)?.raw ?? '', key), 'the record verifies what is sent');
  await page.getByRole('button', { name: 'All inboxes' }).click();
  await page.getByRole('row', { name: /Support.*E-mail.*support@shop\.example.*Connected/ }).waitFor();
  // The browser reports each answer that is an error.
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});

test('a mailbox whose server does not answer is unreachable in the list of inboxes, and its page says why', async () => {
  const email_config = {
    ...MAIL_LOG_IN,
    address: 'away@shop.example',
    // No server has this port.
    smtp_url: 'smtps://127.0.0.1:9',
    hook_secret: 'a-secret-of-the-mail-server-7171',
  };
  await platform.call(201, 'POST', '/v1/inboxes', { body: { channel: 'EMAIL', name: 'Away', email_config } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  const row = page.getByRole('row', { name: /Away/ });
  await row.getByText('Unreachable', { exact: true }).waitFor();
  await row.press('Enter');
  await page.getByText('Unreachable', { exact: true }).waitFor();
  await page.getByText(/The mail server could not be reached\. .* The SMTP server: /).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mailbox whose mails a server hands over is connected without a server for incoming mails', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  await page.getByRole('button', { name: 'Connect an inbox' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: /^E-mail/ }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Orders');
  await dialog.getByLabel('E-mail address').fill('orders@shop.example');
  await dialog.getByLabel('How mails arrive').selectOption({ label: 'A mail server pushes each mail' });
  assert.equal(await dialog.getByLabel('Server for incoming mails (IMAP)').count(), 0);
  const secret = await dialog.getByLabel('Secret of your mail server').inputValue();
  await dialog.getByLabel('Server for outgoing mails (SMTP)').fill(`smtps://127.0.0.1:${smtp.port}`);
  await dialog.getByLabel('User name').fill(MAIL_LOG_IN.username);
  await dialog.getByLabel('Password').fill(MAIL_LOG_IN.password);
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  const address = await dialog.getByLabel('Address', { exact: true }).inputValue();
  assert.deepEqual(await findBarriers(page), []);
  const mail = writeMail({ ...SAMPLE_HEADERS, 'Message-ID': '<pushed@client.example>' }, 'Handed over to orders');
  await pushMail(address, secret, mail);
  const { body } = await platform.call(200, 'GET', '/v1/messages?limit=100');
  assert.ok(body.result.some(({ content }: Json) => content === 'Handed over to orders'));
  await dialog.getByRole('button', { name: 'Change connection data' }).click();
  await dialog.getByLabel('Sender name').fill('The orders');
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog.getByRole('link', { name: 'All settings' }).click();
  // Without the secret no mail could arrive, so it can only be replaced.
  await page.getByRole('button', { name: 'Generate a new secret' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Disable pushing' }).count(), 0);
  await pushMail(address, secret, mail);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mail shows its subject, where replies go and what its author wrote, and the whole of it in a dialog; the page of the inbox lists what could not be read', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const words = 'Thanks!\n\nOn Mon, Nov 2, 2026 at 9:00 AM Shop <support@shop.example> wrote:\n> Your order <b>17</b>';
  const headers = { ...SAMPLE_HEADERS, Subject: 'Re: Order 17', 'Reply-To': 'ana@home.example' };
  mailbox.add(writeMail({ Subject: 'Of nobody' }, 'text'));
  mailbox.add(writeMail({ ...headers, 'Message-ID': '<whole@client.example>' }, words));
  const found = await waitUntil('the mail', async () => {
    const due = `update inbox_fetches set state = 'WAITING', due_at = null where state = 'RESTING'`;
    await platform.database.sql(due);
    const { body } = await platform.call(200, 'GET', '/v1/messages?limit=100');
    return body.result.find(({ external_id }: Json) => external_id === 'whole@client.example');
  });
  await page.goto(new URL(`console/inbox/all/${found.conversation}`, platform.url).href);
  const message = page.getByRole('article').filter({ hasText: 'Thanks!' });
  await message.getByText('Re: Order 17').waitFor();
  await message.getByText('Replies go to: ana@home.example').waitFor();
  assert.equal(await message.getByText('Your order').count(), 0);
  await message.getByRole('button', { name: 'Show full mail' }).click();
  await findDialog(page).getByText('> Your order <b>17</b>').waitFor();
  await page.goto(new URL(`console/inboxes/${found.inbox}`, platform.url).href);
  await page.getByText('The mail has no sender').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});
