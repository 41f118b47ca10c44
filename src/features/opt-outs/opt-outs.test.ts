/** Recipients of mails that many get unsubscribe: by the page, by the button of their mail program, and by a mail. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { MAIL_LOG_IN, startImapServer, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { sendText } from '../messages/send.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform();
const { call, demo, database } = platform;
const mailbox = await startImapServer({ after }, certificate);
const smtp = await startSmtpServer({ after }, certificate);
const email_config = {
  ...MAIL_LOG_IN,
  address: 'news@shop.example',
  smtp_url: `smtps://127.0.0.1:${smtp.port}`,
  imap_url: `imaps://127.0.0.1:${mailbox.port}`,
};
const { body: inbox } = await call(201, 'POST', '/v1/inboxes', {
  body: { channel: 'EMAIL', name: 'News', email_config },
});

const createContact = async (email: string): Promise<Json> =>
  (await call(201, 'POST', '/v1/contacts', { body: { email } })).body;
const readContact = async (contact: Json): Promise<Json> =>
  (await call(200, 'GET', `/v1/contacts/${contact['_id']}`)).body;
const sendNews = (contact: Json, unsubscribe = true): Promise<Json> =>
  call(201, 'POST', '/v1/messages/send-text', {
    body: { inboxId: inbox._id, contact: contact['_id'], message: { content: 'News of the week' }, unsubscribe },
  }).then(({ body }) => body);

/** The page and the mail by which the reader of the last mail unsubscribes. */
async function readLastMail(): Promise<{ link: string; subject: string } | null> {
  const { headerLines } = await simpleParser(smtp.taken.at(-1)?.raw ?? '');
  const line = headerLines.find(({ key }) => key === 'list-unsubscribe')?.line;
  if (!line) return null;
  const [link = '', mailto = ''] = Array.from(line.matchAll(/<([^<>]+)>/g), ([, address = '']) => address);
  return { link, subject: new URL(mailto).searchParams.get('subject') ?? '' };
}

async function sendToNew(email: string): Promise<{ contact: Json; link: string; subject: string }> {
  const contact = await createContact(email);
  await sendNews(contact);
  const mail = await readLastMail();
  assert.ok(mail, 'the mail can be unsubscribed from');
  return { contact, ...mail };
}

const post = (link: string, contentType = 'application/x-www-form-urlencoded'): Promise<Response> =>
  fetch(link, { method: 'POST', headers: { 'content-type': contentType }, body: 'List-Unsubscribe=One-Click' });

const listAudit = async (contact: Json): Promise<Json[]> =>
  (await call(200, 'GET', '/v1/audit?action=contacts.opt-out')).body.result.filter(
    ({ resource_id }: Json) => resource_id === contact['_id'],
  );

test('only a mail that many get has the headers by which its reader unsubscribes', async () => {
  const contact = await createContact('bea@client.example');
  await sendNews(contact, false);
  assert.equal(await readLastMail(), null);
  await sendNews(contact);
  const mail = await readLastMail();
  assert.ok(mail?.link.startsWith(`${platform.running.kit.config.PUBLIC_URL}/unsubscribe/`));
});

test('the mail of a follow-up has them by itself', async () => {
  const contact = await createContact('caio@client.example');
  const { kit } = platform.running;
  const acting = actAs(kit.database, demo._id, { type: 'followup', id: contact['_id'], name: 'Ana' });
  const message = { content: 'Are you still there?' };
  await sendText(kit, acting, { inboxId: inbox._id, contact: contact['_id'], message });
  assert.ok(await readLastMail());
});

test('a channel whose messages have no such headers refuses the wish for them, and sends nothing', async () => {
  const body = { inboxId: demo.inbox, phone: '+5511988887766', message: { content: 'News' }, unsubscribe: true };
  expectProblem(await call(400, 'POST', '/v1/messages/send-text', { body }), 'VALIDATION_FAILED', 'unsubscribe');
});

test('opening the link changes nothing, and its button opts the contact out once, with one event and one audit entry', async () => {
  const { contact, link } = await sendToNew('rui@client.example');
  const page = await fetch(link);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<html lang="pt-BR">[^]*<form method="post">/);
  assert.equal((await readContact(contact))['opted_out'], false);
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const done = await post(link, type);
    assert.equal(done.status, 200);
    assert.doesNotMatch(await done.text(), /<form/);
  }
  assert.equal((await readContact(contact))['opted_out'], true);
  const events = await platform.deliveries(
    ({ body }) => body.event === 'CONTACT_UPDATED' && body.data._id === contact['_id'],
  );
  assert.deepEqual(
    events.map(({ body }) => body.data.opted_out),
    [true],
  );
  const [entry, ...more] = await listAudit(contact);
  assert.deepEqual([entry?.['actor'].type, entry?.['fields'], more], ['SYSTEM', ['opted_out'], []]);
  const refused = await sendNews(contact);
  assert.deepEqual([refused['status'], refused['errors'][0].code], ['FAILED', 'OPTED_OUT']);
});

test('the page is in the language of the company, with its name as it is written', async () => {
  const { link } = await sendToNew('lia@client.example');
  const change = (body: Json): Promise<unknown> => call(200, 'PATCH', `/v1/companies/${demo._id}`, { body });
  const { body: before } = await call(200, 'GET', `/v1/companies/${demo._id}`);
  await change({ name: 'Bread & <b>Butter</b> $&', general_config: { language: 'es' } });
  const page = await (await fetch(link)).text();
  await change({ name: before.name, general_config: { language: before.general_config.language } });
  assert.match(page, /<html lang="es">/);
  assert.match(page, /<strong>Bread &amp; &lt;b&gt;Butter&lt;\/b&gt; \$&amp;<\/strong>/);
});

test('a changed link, a link of an erased contact and a company’s link with another one’s contact all answer like an unknown one', async () => {
  const { contact, link } = await sendToNew('tom@client.example');
  const { contact: erased, link: erasedLink } = await sendToNew('ida@client.example');
  await call(200, 'DELETE', `/v1/contacts/${erased['_id']}`);
  const other = await platform.createCompany();
  const token = link.slice(link.lastIndexOf('/') + 1);
  const base = link.slice(0, -token.length);
  const broken = [
    'x',
    `${token}x`,
    token.slice(0, -1),
    other._id + token.slice(24),
    token.slice(0, 24) + erased['_id'] + token.slice(48),
    erasedLink.slice(base.length),
  ];
  const seen = new Set<string>();
  for (const each of broken) {
    for (const answer of [await fetch(base + each), await post(base + each)]) {
      assert.equal(answer.status, 404);
      seen.add(await answer.text());
    }
  }
  assert.equal(seen.size, 1);
  assert.equal((await readContact(contact))['opted_out'], false);
});

test('a contact that was merged into another one unsubscribes the other one', async () => {
  const { contact, link } = await sendToNew('old@client.example');
  const kept = await createContact('new@client.example');
  const path = `/v1/contacts/${kept['_id']}/merge`;
  await call(201, 'POST', path, { body: { contact: contact['_id'] } });
  assert.equal((await post(link)).status, 200);
  assert.equal((await readContact(kept))['opted_out'], true);
});

test('a mail with the subject that the header names unsubscribes its writer, and no one else', async () => {
  const { contact, subject } = await sendToNew('eva@client.example');
  const write = (from: string, id: string): void =>
    void mailbox.add(
      writeMail({ ...SAMPLE_HEADERS, From: from, Subject: subject, 'Message-ID': `<${id}@client.example>` }, ''),
    );
  const waitForFetch = <T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> =>
    waitUntil(what, async () => {
      const due = `update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1 and state = 'RESTING'`;
      await database.sql(due, [inbox._id]);
      return look();
    });
  write('mallory@elsewhere.example', 'forged');
  await waitForFetch('the mail of somebody else', async () => {
    const { body } = await call(200, 'GET', `/v1/messages?inbox=${inbox._id}&limit=100`);
    return body.result.some(({ external_id }: Json) => external_id === 'forged@client.example');
  });
  assert.equal((await readContact(contact))['opted_out'], false);
  write('Eva <EVA@client.example>', 'own');
  await waitForFetch('the opt-out', async () => (await readContact(contact))['opted_out'] === true);
});

test('links are counted like every public page, and a body that is no short form is refused', async () => {
  const narrow = await startPlatform({ env: { RATE_LIMIT_PAGES: '1' } });
  const link = `${narrow.url}/unsubscribe/unknown`;
  const large = await fetch(link, { method: 'POST', body: 'x'.repeat(20_000) });
  assert.equal(large.status, 413);
  const together = Array.from({ length: 40 }, (_, count) => (count % 2 === 0 ? fetch(link) : post(link)));
  const answers = await Promise.all(together);
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && refused.length < answers.length);
  for (const { headers } of refused) assert.ok(headers.get('retry-after'));
  assert.ok(answers.every(({ status }) => status === 404 || status === 429));
});
