/** The text that contacts are sent who write outside of business hours. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MAIL_LOG_IN, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { pushMail, SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listNetworkMessages, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { openSite, visit } from '../../../test/support/web-chat.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { sendOnce } from '../sends/due/loop.ts';
import type { ClaimedSend } from '../sends/due/schemas.ts';
import { lockAwayText } from './queries.ts';
import { AWAY_TEXTS } from './source.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { kit } = platform.running;

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const inDays = (count: number): string => DAYS[(new Date().getUTCDay() + count) % 7] ?? '';
/** The inbox is closed, and opens in three days. */
const closed = { name: 'Shop', time_zone: 'UTC', days: [{ day: inDays(3), from: '09:00', to: '18:00' }] };
const always = DAYS.map((day) => ({ day, from: '00:00', to: '24:00' }));
const { _id: hours } = (await call(201, 'POST', '/v1/business-hours', { body: closed })).body;
const setHours = (body: Json): Promise<unknown> => call(200, 'PATCH', `/v1/business-hours/${hours}`, { body });
const setInbox = (body: Json): Promise<unknown> => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body });
const TEXT = 'Estamos fechados agora.';
await setInbox({ business_hours: hours, away_text: TEXT });

const listAway = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result.filter(
    ({ origin }: Json) => origin === 'AWAY',
  );
const awaitSent = (conversation: string, count = 1): Promise<Json[]> =>
  waitUntil('the away text to be sent', async () => {
    const away = await listAway(conversation);
    return away.length === count && away.every(({ status }) => status === 'SENT') && away;
  });
/** Waits until all texts that were left have ended, so that what got none then gets none. */
const settle = (): Promise<unknown> =>
  waitUntil('all texts to end', async () => {
    return (await database.sql('select from away_texts where ended_at is null')).length === 0;
  });

test('who writes while the inbox is closed is sent its text once until it opens, and goes on waiting for an answer, unread', async () => {
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  const [message] = await awaitSent(conversation._id);
  assert.deepEqual([message?.content, message?.sender_type, message?.sender], [TEXT, 'AGENT', null]);
  assert.equal((await listNetworkMessages(platform, message?.['_id'])).length, 1);
  await writeAsContact(platform, { from });
  await setHours({ days: [{ day: inDays(4), from: '09:00', to: '18:00' }] });
  await writeAsContact(platform, { from });
  await settle();
  assert.equal((await listAway(conversation._id)).length, 1);
  const { body: present } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.deepEqual([present.unread_count, present.waiting_since], [3, conversation.waiting_since]);
  await database.sql(`update away_texts set closed_until = now() - interval '1 hour' where conversation_id = $1`, [
    conversation._id,
  ]);
  await writeAsContact(platform, { from });
  await awaitSent(conversation._id, 2);
  // A time that was long because of earlier hours ends with the next opening of the present ones.
  await database.sql(
    `update away_texts set closed_until = 'infinity', created_at = now() - interval '8 days'
      where conversation_id = $1 and closed_until > now()`,
    [conversation._id],
  );
  await writeAsContact(platform, { from });
  await awaitSent(conversation._id, 3);
});

test('who writes while the inbox is open, or has no text, is sent nothing', async () => {
  const left = async (): Promise<number> => (await database.sql('select from away_texts')).length;
  const before = await left();
  await setHours({ days: always.slice(0, 7) });
  await writeAsContact(platform);
  await setHours({ days: closed.days });
  await setInbox({ away_text: null });
  await writeAsContact(platform);
  await setInbox({ away_text: TEXT, business_hours: null });
  await writeAsContact(platform);
  await setInbox({ business_hours: hours });
  assert.equal(await left(), before);
});

test('a conversation that an agent answers gets no text', async () => {
  const { _id: agent } = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' } })).body;
  await setInbox({ default_agent: agent });
  const { conversation } = await writeAsContact(platform);
  await setInbox({ default_agent: null });
  assert.equal(conversation.handled_by, 'AI');
  assert.equal((await database.sql('select from away_texts where conversation_id = $1', [conversation._id])).length, 0);
});

test('a mail of a person is answered with a mail that says it is automatic, and one of a program or of somebody in Cc is not answered', async () => {
  const smtp = await startSmtpServer({ after }, certificate);
  const hook_secret = 'a-secret-of-the-mail-server-4711';
  const email_config = {
    ...MAIL_LOG_IN,
    address: 'a@shop.example',
    smtp_url: `smtps://127.0.0.1:${smtp.port}`,
    hook_secret,
  };
  const given = { channel: 'EMAIL', name: 'Mails', email_config, business_hours: hours, away_text: TEXT };
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', { body: given });
  const push = async (from: string, extra: Json): Promise<string> => {
    const raw = writeMail({ ...SAMPLE_HEADERS, From: from, 'Message-ID': `<${from}>`, ...extra }, 'Hi');
    await pushMail(`${platform.url}/hooks/email/${inbox._id}`, hook_secret, raw);
    const { result } = (await call(200, 'GET', `/v1/messages?inbox=${inbox._id}`)).body;
    return result.find(({ external_id }: Json) => external_id === from).conversation;
  };
  const program = await push('robot@client.example', { 'Auto-Submitted': 'auto-replied', Cc: 'boss@client.example' });
  assert.equal(await push('boss@client.example', { 'In-Reply-To': '<robot@client.example>' }), program);
  const person = await push('ana@client.example', {});
  await awaitSent(person);
  assert.match(String(smtp.taken.at(-1)?.raw), /Auto-Submitted: auto-replied/);
  await settle();
  assert.deepEqual(await listAway(program), []);
});

test('a web chat that is away shows its text and when it opens, and asks a new visitor for an e-mail address', async () => {
  const site = await openSite(platform);
  const path = `/web/v1/inboxes/${site}`;
  const describe = async (): Promise<Json> => (await call(200, 'GET', path, { key: null })).body;
  await call(200, 'PUT', `/v1/inboxes/${site}`, { body: { business_hours: hours, away_text: TEXT } });
  const { availability, questions } = await waitUntil('the chat to be away', async () => {
    const described = await describe();
    return !described['availability'].is_open && described;
  });
  assert.equal(availability.away_text, TEXT);
  assert.ok(Date.parse(availability.opens_at) > Date.now() + 86_400_000);
  assert.deepEqual(
    questions.map(({ kind, required }: Json) => [kind, required]),
    [['EMAIL', false]],
  );
  const visitor = await visit(platform, site);
  const written = await visitor.write('Hello', { answers: { EMAIL: 'ana@client.example' } });
  const { body: stored } = await call(200, 'GET', `/v1/messages/${written._id}`);
  await awaitSent(stored.conversation);
  const contents = (await visitor.list()).result.map(({ content }: Json) => content);
  assert.deepEqual(contents, ['E-mail: ana@client.example', 'Hello', TEXT]);
  await setHours({ days: always });
  await waitUntil('the chat to be there', async () => (await describe())['availability'].is_open);
  assert.deepEqual((await describe())['questions'], []);
  await (await visit(platform, site)).write('Hello', { answers: { EMAIL: 'bia@client.example' } });
  await setHours({ days: closed.days });
});

/** Writes as a contact, and claims the away text, as a worker does that has not come to it yet. */
async function hold(): Promise<{ conversation: string; contact: string; claimed: ClaimedSend }> {
  const { conversation, contact } = await writeAsContact(platform);
  const [row] = await database.sql<{ _id: string }>(
    `update away_texts set claimed_at = now(), held_until = now() + interval '1 hour', attempts = 1 where conversation_id = $1 returning _id`,
    [conversation._id],
  );
  const _id = row?._id ?? '';
  const due = await kit.database.tenantTx(demo._id, (tx) => lockAwayText(tx, _id));
  const claimed = { company: demo._id, _id, attempts: 1, claimed_at: due?.claimed_at ?? '' };
  return { conversation: conversation._id, contact: contact._id, claimed };
}

test('a text is sent once by two workers that have it, and not after a person has answered or the contact is blocked or has opted out', async () => {
  await settle();
  await database.sql('alter table away_texts alter column is_waiting set default false');
  const [twice, answered, blocked, out] = [await hold(), await hold(), await hold(), await hold()];
  await sendText(platform, answered.conversation);
  await call(200, 'PATCH', `/v1/contacts/${blocked.contact}`, { body: { blocked: true } });
  await call(200, 'PATCH', `/v1/contacts/${out.contact}`, { body: { opted_out: true } });
  for (const { claimed } of [twice, twice, answered, blocked, out])
    await Promise.all([1, 2].map(() => sendOnce(kit, AWAY_TEXTS, claimed)));
  await database.sql('alter table away_texts alter column is_waiting set default true');
  await settle();
  assert.equal((await awaitSent(twice.conversation)).length, 1);
  for (const { conversation } of [answered, blocked, out]) assert.deepEqual(await listAway(conversation), []);
});
