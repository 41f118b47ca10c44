/** How somebody answers a mail in the console: who gets it, and under which subject. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { simpleParser } from 'mailparser';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, holdAnswers, openConsole, waitForSent } from '../support/console.ts';
import { MAIL_LOG_IN, startSmtpServer, trustCertificate } from '../support/mail-servers.ts';
import { pushMail, SAMPLE_HEADERS, writeMail } from '../support/mails.ts';
import { makePng } from '../support/media-samples.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const certificate = trustCertificate({ after });
const smtp = await startSmtpServer({ after }, certificate);
const platform = await startPlatform();
const browser = await startBrowser();
const HOOK_SECRET = 'a-secret-of-the-mail-server-9012';

const email_config = {
  ...MAIL_LOG_IN,
  address: 'support@shop.example',
  smtp_url: `smtps://127.0.0.1:${smtp.port}`,
  hook_secret: HOOK_SECRET,
};
const { body: inbox } = await platform.call(201, 'POST', '/v1/inboxes', {
  body: { channel: 'EMAIL', name: 'Support', email_config },
});

const push = (mail: string): Promise<void> => pushMail(`${platform.url}/hooks/email/${inbox._id}`, HOOK_SECRET, mail);

/** Delivers a mail of this person, with another recipient in Cc, and opens its conversation in the console. */
async function openMailOf(name: string) {
  const headers = {
    ...SAMPLE_HEADERS,
    From: `${name} <${name}@client.example>`,
    To: 'support@shop.example',
    Cc: 'Boss <boss@client.example>',
    Subject: 'Order 17',
    'Message-ID': `<${name}@client.example>`,
  };
  await push(writeMail(headers, 'Where is it?'));
  const { body: found } = await platform.call(200, 'GET', `/v1/messages?inbox=${inbox._id}`);
  return openConsole(platform, browser, { path: `/inbox/all/${found.result[0].conversation}` });
}

test('an answer to a mail shows and reaches its other recipients, and has the subject that is typed', async () => {
  const { page, complaints, close } = await openMailOf('rui');
  const line = page.getByRole('button', { name: 'To: rui@client.example' });
  await line.waitFor();
  assert.equal(await line.textContent(), 'To: rui@client.example · Cc: boss@client.example · Subject: Re: Order 17');
  const composer = page.getByRole('textbox', { name: 'Write a message' });
  await composer.fill('It is on its way.');
  await line.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  // Tab selects the whole text.
  await page.keyboard.press('End');
  await page.keyboard.type(', Eva <eva@client');
  await page.getByText('“Eva <eva@client” is not an e-mail address.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true);
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.type('.example>');
  await page.getByLabel('Bcc').fill('archive@shop.example');
  await page.getByLabel('Subject').fill('Order 17 is on its way');
  await page.reload();
  await page.getByRole('button', { name: /Bcc: archive@shop.example/ }).waitFor();
  await page.getByRole('textbox', { name: 'Write a message' }).press('Enter');
  const sent = await waitUntil('the mail', () => smtp.taken.at(-1));
  assert.deepEqual(sent.to, [
    'rui@client.example',
    'boss@client.example',
    'eva@client.example',
    'archive@shop.example',
  ]);
  assert.equal((await simpleParser(sent.raw)).subject, 'Order 17 is on its way');
  const message = page.getByRole('article').last();
  for (const text of [
    'Order 17 is on its way',
    'Cc: boss@client.example, eva@client.example',
    'Bcc: archive@shop.example',
  ])
    await message.getByText(text, { exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('the answer of a person in Cc stands in the conversation under the name of its author, who gets the reply too; one in Bcc stays hidden', async () => {
  const { page, complaints, close } = await openMailOf('zoe');
  await page.getByRole('log').getByText('Where is it?').waitFor();
  const answer = {
    ...SAMPLE_HEADERS,
    From: 'The Boss <boss@client.example>',
    To: 'support@shop.example',
    Subject: 'Re: Order 17',
    'Message-ID': '<boss@client.example>',
    'In-Reply-To': '<zoe@client.example>',
  };
  await push(writeMail(answer, 'I need it, too.'));
  const message = page.getByRole('article').filter({ hasText: 'I need it, too.' });
  const author = message.getByText('The Boss · boss@client.example', { exact: true });
  await author.waitFor();
  // A name that only a screen reader says has a width of one pixel.
  assert.ok(((await author.boundingBox())?.width ?? 0) > 50);
  await page
    .getByRole('button', { name: 'To: zoe@client.example · Cc: boss@client.example · Subject: Re: Order 17' })
    .waitFor();
  assert.deepEqual(await findBarriers(page), []);
  const { body: found } = await platform.call(200, 'GET', `/v1/messages?inbox=${inbox._id}&limit=1`);
  const sent = await platform.call(201, 'POST', '/v1/messages/send-text', {
    body: {
      conversationId: found.result[0].conversation,
      message: { content: 'Tomorrow.' },
      email: { bcc: ['law@client.example'] },
    },
  });
  await push(
    writeMail(
      {
        ...answer,
        From: 'law@client.example',
        'Message-ID': '<law@client.example>',
        'In-Reply-To': `<${sent.body.external_id}>`,
      },
      'Noted.',
    ),
  );
  await page.getByRole('article').filter({ hasText: 'Noted.' }).getByText('law@client.example').waitFor();
  await page.getByRole('button', { name: 'To: zoe@client.example · Subject: Re: Order 17', exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mail that is taken back is in the composer again, with its subject and its recipients', async () => {
  const body = { email: 'lia@client.example', name: 'Lia' };
  const { body: contact } = await platform.call(201, 'POST', '/v1/contacts', { body });
  const opening = { inbox: inbox._id, contact: contact._id };
  const { body: conversation } = await platform.call(201, 'POST', '/v1/conversations', { body: opening });
  const path = `/inbox/all/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const usual = page.getByRole('button', { name: 'To: lia@client.example', exact: true });
  await usual.click();
  const typed = { To: 'team', Cc: 'boss', Bcc: 'archive' };
  for (const [field, name] of Object.entries(typed))
    await page.getByLabel(field, { exact: true }).fill(`${name}@client.example`);
  await page.getByLabel('Subject').fill('Invoice 18');
  await page.getByRole('button', { name: 'Recipients and subject' }).click();
  const chosen = page.getByRole('button', {
    name: 'To: team@client.example · Cc: boss@client.example · Bcc: archive@client.example · Subject: Invoice 18',
    exact: true,
  });
  await chosen.waitFor();
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Here it is.');
  await page.getByRole('button', { name: 'Send later' }).click();
  await page.getByRole('menuitem', { name: /^Tomorrow morning/ }).click();
  await usual.waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await chosen.waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Write a message' }).inputValue(), 'Here it is.');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a recipient who was removed from a mail stays removed when the mail is taken back', async () => {
  const { page, complaints, close } = await openMailOf('kim');
  await page.getByRole('button', { name: /Cc: boss@client.example/ }).click();
  await page.getByLabel('Cc', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Recipients and subject' }).click();
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Only for you.');
  await page.getByRole('button', { name: 'Send later' }).click();
  await page.getByRole('menuitem', { name: /^Tomorrow morning/ }).click();
  await page.getByRole('button', { name: /Cc: boss@client.example/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'To: kim@client.example · Subject: Re: Order 17', exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mail starts a conversation with a subject, and a forwarded one goes to none of its earlier recipients', async () => {
  const body = { email: 'ana@client.example', name: 'Ana' };
  const { body: contact } = await platform.call(201, 'POST', '/v1/contacts', { body });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/contacts/${contact._id}` });
  await page.getByRole('main').getByRole('button', { name: 'New conversation' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Cc', { exact: true }).fill('boss@client');
  await dialog.getByText('“boss@client” is not an e-mail address.').waitFor();
  await dialog.getByLabel('Cc', { exact: true }).fill('boss@client.example');
  await dialog.getByLabel('Subject').fill('Invoice 17');
  await dialog.getByLabel('Message').fill('Here it is.');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  const message = page.getByRole('article').filter({ hasText: 'Here it is.' });
  await waitForSent(message);
  const first = smtp.taken.at(-1);
  assert.deepEqual(first?.to, ['ana@client.example', 'boss@client.example']);
  assert.equal((await simpleParser(first.raw)).subject, 'Invoice 17');
  await message.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Forward' }).click();
  await dialog.getByRole('searchbox').fill('eva@client.example');
  await dialog.getByRole('button', { name: /Not a contact yet/ }).click();
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Fwd: Invoice 17').first().waitFor();
  await waitForSent(page.getByRole('log', { name: 'Messages' }));
  const last = smtp.taken.at(-1);
  assert.deepEqual(last?.to, ['eva@client.example']);
  assert.equal((await simpleParser(last.raw)).subject, 'Fwd: Invoice 17');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mail that waits for its file is not sent once its recipients change, and tabs share the recipients', async () => {
  const { page, complaints, close } = await openMailOf('ida');
  const second = await page.context().newPage();
  await second.goto(page.url());
  for (const tab of [page, second]) await tab.getByRole('button', { name: 'To: ida@client.example' }).click();
  await second.getByLabel('Bcc').fill('archive@shop.example');
  const waitForBcc = (tab: Page, text: string): Promise<unknown> =>
    waitUntil(`Bcc to be "${text}"`, async () => (await tab.getByLabel('Bcc').inputValue()) === text);
  await waitForBcc(page, 'archive@shop.example');
  const held = await holdAnswers(page, 'upload-attachment');
  const file = { name: 'receipt.png', mimeType: 'image/png', buffer: makePng(8, 8) };
  await page.locator('[data-composer] input[type=file]').setInputFiles(file);
  await held.answered();
  await page.getByRole('textbox', { name: 'Write a message' }).press('Enter');
  const waits = page.getByRole('status').filter({ hasText: 'sent when the upload finishes' });
  await waits.waitFor();
  await page.getByLabel('Cc', { exact: true }).fill('');
  await waits.waitFor({ state: 'detached' });
  await held.release();
  await page.getByText('receipt.png').waitFor();
  await page.getByText('Uploading…').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Write a message' }).press('Enter');
  await waitForSent(page.getByRole('article').last());
  assert.deepEqual(smtp.taken.at(-1)?.to, ['ida@client.example', 'archive@shop.example']);
  await waitForBcc(second, '');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mail that was begun moves with its recipients and subject when another user merges its conversation', async () => {
  const body = { email: 'uma@client.example', name: 'Uma' };
  const { body: contact } = await platform.call(201, 'POST', '/v1/contacts', { body });
  const opening = { inbox: inbox._id, contact: contact._id };
  const { body: older } = await platform.call(201, 'POST', '/v1/conversations', { body: opening });
  await platform.call(200, 'PATCH', `/v1/conversations/${older._id}`, { body: { status: 'CLOSED' } });
  const { body: newer } = await platform.call(201, 'POST', '/v1/conversations', { body: opening });
  const path = `/inbox/all/${newer._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  await page.getByRole('button', { name: 'To: uma@client.example', exact: true }).click();
  await page.getByLabel('Bcc').fill('archive@client.example');
  await page.getByLabel('Subject').fill('Invoice 19');
  // This call would fail once the conversation is merged.
  const typing = page.waitForResponse((answer) => !!answer.request().postData()?.includes('TYPING'));
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Here it is.');
  await typing;
  await platform.call(201, 'POST', `/v1/conversations/${older._id}/merge`, { body: { conversation: newer._id } });
  await page.waitForURL(`**/inbox/all/${older._id}`);
  const head = 'To: uma@client.example · Bcc: archive@client.example · Subject: Invoice 19';
  await page.getByRole('button', { name: head, exact: true }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Write a message' }).inputValue(), 'Here it is.');
  assert.deepEqual(complaints(), []);
  await close();
});
