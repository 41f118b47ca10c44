/** What somebody writes on the phone of each network, and what the company sends there, without a platform. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';
import { call, PHONE, startSandbox, TEXT, TOKEN, waitUntil, type Delivery } from './test-process.ts';

const sandbox = await startSandbox();
after(sandbox.stop);

type Item = {
  id: string;
  direction: string;
  message: { type: string; text?: { body: string }; mail?: { subject: string; text: string } };
  body?: { text?: { body: string } };
  status?: string;
  delivered?: boolean | null;
  read?: boolean;
};

async function control<T>(path: string, body?: object, method?: string): Promise<T> {
  const reply = await call<T>(`${sandbox.url}/sandbox/${path}`, { ...(body && { body }), ...(method && { method }) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

const writeOn = <T>(network: string, note: object): Promise<T> => control('phone/messages', { network, ...note });

async function readPhone(network: string, account: string, contact: string): Promise<Item[]> {
  const query = new URLSearchParams({ network, account, contact });
  return (await control<{ items: Item[] }>(`phone/messages?${query.toString()}`)).items;
}

/** Waits until the company's message has the status on the phone. */
const awaitStatus = (place: [string, string, string], id: string, status: string): Promise<Item[]> =>
  waitUntil(
    () => readPhone(...place),
    (items) => items.some((item) => item.id === id && item.status === status),
  );

const events = async (path: string): Promise<{ event?: string; data?: { status?: string }; message?: string }[]> =>
  (await control<{ deliveries: Delivery[] }>(`deliveries?path=${path}`)).deliveries.map(({ body }) => JSON.parse(body));

test('at WhatsApp a message is read when the person reads it, and by itself only while the settings say so', async () => {
  await control('settings', { callback_url: `${sandbox.url}/receiver/wap` }, 'PUT');
  await control('phone/settings', { network: 'whatsapp', reads_alone: false }, 'PUT');
  const contact = TEXT.to;
  const written = await writeOn<{ delivered: boolean }>('whatsapp', { account: PHONE, contact, text: 'Oi' });
  assert.equal(written.delivered, true);
  const sent = await call<{ messages: { id: string }[] }>(`${sandbox.url}/v26.0/${PHONE}/messages`, {
    token: TOKEN,
    body: TEXT,
  });
  const id = sent.body.messages[0]?.id ?? '';
  await awaitStatus(['whatsapp', PHONE, contact], id, 'delivered');
  await control('phone/read', { network: 'whatsapp', id });
  const items = await readPhone('whatsapp', PHONE, contact);
  assert.deepEqual(
    items.map(({ direction, status }) => [direction, status]),
    [
      ['out', undefined],
      ['in', 'read'],
    ],
  );
});

test('at the gateway of a partner the webhook of the instance gets what is written, read and answered by a reaction', async () => {
  const headers = { apikey: 'sandbox-instance-key' };
  const webhook = { enabled: true, url: `${sandbox.url}/receiver/partner`, events: [] };
  await call(`${sandbox.url}/gateway/webhook/set/demo`, { headers, body: { webhook } });
  await control('phone/settings', { network: 'partner', reads_alone: false }, 'PUT');
  const place: [string, string, string] = ['partner', 'demo', '5511988887777'];
  const person = { account: 'demo', contact: '5511988887777', name: 'Maria' };
  await writeOn('partner', { ...person, text: 'Oi' });
  const body = { number: '5511988887777', text: 'Yes?' };
  const sent = await call<{ key: { id: string } }>(`${sandbox.url}/gateway/message/sendText/demo`, { headers, body });
  const { id } = sent.body.key;
  await awaitStatus(place, id, 'delivered');
  await control('phone/read', { network: 'partner', id });
  await writeOn('partner', { ...person, type: 'reaction', raw: { reaction: { message_id: id, emoji: '👍' } } });
  const items = await awaitStatus(place, id, 'read');
  assert.deepEqual(
    items.map(({ direction, message, delivered }) => [direction, message.type, delivered]),
    [
      ['out', 'text', true],
      ['in', 'text', undefined],
      ['out', 'reaction', true],
    ],
  );
  const told = (await events('/receiver/partner')).map(({ event, data }) => [event, data?.status]);
  for (const expected of [
    ['messages.upsert', undefined],
    ['send.message', 'PENDING'],
    ['messages.update', 'READ'],
  ])
    assert.ok(
      told.some((each) => each[0] === expected[0] && each[1] === expected[1]),
      JSON.stringify(told),
    );
});

test('the webhook of LinkedIn reports a message from a contact, and later that the contact has read the answer', async () => {
  const headers = { 'x-api-key': 'sandbox-network-key' };
  const api = `${sandbox.url}/network/api/v1`;
  await call(`${api}/webhooks`, {
    headers,
    body: { request_url: `${sandbox.url}/receiver/linkedin`, source: 'messaging' },
  });
  await control('phone/settings', { network: 'linkedin', reads_alone: false }, 'PUT');
  const place: [string, string, string] = ['linkedin', 'acc_demo', 'maria-silva'];
  const written = await writeOn<{ id: string; delivered: boolean }>('linkedin', {
    account: 'acc_demo',
    contact: 'maria-silva',
    text: 'Oi',
  });
  assert.equal(written.delivered, true);
  const told = (await events('/receiver/linkedin')) as { chat_id?: string; message?: string }[];
  const form = new FormData();
  form.set('text', 'Yes?');
  const chat = told[0]?.chat_id ?? '';
  const sent = await fetch(`${api}/chats/${chat}/messages`, { method: 'POST', headers, body: form });
  const { message_id: id } = (await sent.json()) as { message_id: string };
  await awaitStatus(place, id, 'delivered');
  await control('phone/read', { network: 'linkedin', id });
  await awaitStatus(place, id, 'read');
  await waitUntil(
    () => events('/receiver/linkedin'),
    (all) => all.some(({ event }) => event === 'message_read'),
  );
});

test('a mail that somebody writes lies in the mailbox until it is fetched; what the company sends arrives, is refused or is returned', async () => {
  const servers = await control<Record<'smtp_url' | 'imap_url' | 'certificate' | 'password', string>>('mail/servers');
  const tls = { ca: servers.certificate };
  const [mailbox, contact] = ['hello@sandbox.example', 'ana@client.example'];
  const place: [string, string, string] = ['mail', mailbox, contact];
  const { id: first } = await writeOn<{ id: string }>('mail', {
    account: mailbox,
    contact,
    name: 'Ana Sá',
    subject: 'Encomenda',
    text: '<p>Dois pães</p>',
    html: true,
  });
  assert.equal((await readPhone(...place))[0]?.delivered, null);
  const imap = new URL(servers.imap_url);
  const log = { user: mailbox, pass: servers.password };
  const client = new ImapFlow({
    host: imap.hostname,
    port: Number(imap.port),
    secure: true,
    auth: log,
    tls,
    logger: false,
  });
  await client.connect();
  await client.mailboxOpen('INBOX');
  const readMail = async (uid: number): Promise<string> => {
    const mail = await client.fetchOne(String(uid), { source: true }, { uid: true });
    return mail ? String(mail.source) : '';
  };
  assert.match(
    await readMail(1),
    /From: =\?UTF-8\?\S+\?= <ana@client\.example>[^]*text\/html[^]*<p>Dois p=C3=A3es<\/p>/,
  );
  assert.equal((await readPhone(...place))[0]?.delivered, true);

  const smtp = createTransport({ url: servers.smtp_url, auth: log, tls });
  const answer = { from: mailbox, to: contact, subject: 'Re: Encomenda', inReplyTo: `<${first}>`, text: 'Às seis.' };
  const { messageId } = await smtp.sendMail(answer);
  const arrived = (await readPhone(...place))[1];
  assert.deepEqual([arrived?.direction, arrived?.message.mail?.text], ['in', 'Às seis.']);

  await control('mail/settings', { faults: { recipient: [{ code: 550, message: 'Nobody here' }] } }, 'PUT');
  await assert.rejects(smtp.sendMail(answer), /550 Nobody here/);
  await control('mail/settings', { faults: { data: [{ kind: 'reset_after_accept' }] } }, 'PUT');
  await assert.rejects(smtp.sendMail({ ...answer, messageId: '<doubtful@sandbox.example>' }));
  assert.equal((await readPhone(...place)).length, 3);

  await control('mail/return', { id: messageId.slice(1, -1), message: 'The mailbox is full' });
  assert.equal((await readPhone(...place))[1]?.status, 'failed');
  const report = await readMail(2);
  assert.match(report, /Final-Recipient: rfc822; ana@client\.example[^]*The mailbox is full/);
  assert.ok(report.includes(`Message-ID: ${messageId}`));
  await client.logout();
});
