/** Networks report messages hours late, in any order and more than once. What was written first is read first. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectInstance, findByExternalId, reportEvent } from '../../../test/support/gateway.ts';
import { MAIL_LOG_IN, startImapServer, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { say, sendJson, startModel } from '../../../test/support/model.ts';
import {
  buildMessageNotification,
  connectPhone,
  makeMessageId,
  makePhoneNumber,
  openNetwork,
  postAndReadMessage,
  secondsAgo,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { connectAccount, silenceAccounts, writeAs } from '../../../test/support/professional-network.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const certificate = trustCertificate({ after });
const model = await startModel();
const platform = await startPlatform({
  env: { AGENT_WAIT: '1s', AI_BASE_URL: `${model.url}/v1`, AI_MODEL: 'small', AI_API_KEY: 'secret' },
});
const network = await openNetwork(platform);
await silenceAccounts(platform);
const mailbox = await startImapServer({ after }, certificate);
const smtp = await startSmtpServer({ after }, certificate);
const { call } = platform;
const phone = await connectPhone(platform);

const readThread = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result;
const readConversation = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;

const HOUR = 3_600;
const timeAgo = (seconds: number): Date => new Date(Number(secondsAgo(seconds)) * 1_000);

/** How a channel reports a text that its contact wrote `age` seconds ago. */
type Report = (text: string, age: number) => Promise<unknown>;

async function reportToPhone(): Promise<{ inbox: string; report: Report }> {
  const from = makePhoneNumber();
  const report: Report = (text, age) =>
    network.post(
      200,
      buildMessageNotification(phone, {
        from,
        id: `wamid.${from}${text}`,
        timestamp: secondsAgo(age),
        text: { body: text },
        type: 'text',
      }),
    );
  return { inbox: phone.inbox, report };
}

async function reportToGateway(): Promise<{ inbox: string; report: Report }> {
  const instance = await connectInstance(platform);
  const remoteJid = `${makePhoneNumber()}@s.whatsapp.net`;
  const report: Report = (text, age) =>
    reportEvent(platform, instance, 'messages.upsert', {
      key: { remoteJid, fromMe: false, id: `3EB0${text}` },
      pushName: 'Maria',
      message: { conversation: text },
      messageType: 'conversation',
      messageTimestamp: Number(secondsAgo(age)),
    });
  return { inbox: instance.inbox, report };
}

async function reportToAccount(): Promise<{ inbox: string; report: Report }> {
  const account = await connectAccount(platform);
  const report: Report = (text, age) =>
    writeAs(platform, account, {
      id: `msg-${account.id}-${text}`,
      text,
      more: { timestamp: timeAgo(age).toISOString() },
    });
  return { inbox: account.inbox, report };
}

async function reportToMailbox(): Promise<{ inbox: string; report: Report }> {
  const email_config = {
    ...MAIL_LOG_IN,
    address: 'support@shop.example',
    smtp_url: `smtps://127.0.0.1:${smtp.port}`,
    imap_url: `imaps://127.0.0.1:${mailbox.port}`,
  };
  const body = { channel: 'EMAIL', name: 'Mail', email_config };
  const { _id: inbox } = (await call(201, 'POST', '/v1/inboxes', { body })).body;
  const readNow = `update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1 and state = 'RESTING'`;
  const report: Report = async (text, age) => {
    mailbox.add(writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${text}@client.example>` }, text), timeAgo(age));
    await waitUntil('the mailbox to be read', async () => {
      await platform.database.sql(readNow, [inbox]);
      return findByExternalId(platform, { inbox, key: platform.demo.key }, `${text}@client.example`);
    });
  };
  return { inbox, report };
}

const CHANNELS = {
  WAP_AUTO_CLOSER: reportToPhone,
  PARTNER_API: reportToGateway,
  PROFESSIONAL_NETWORK: reportToAccount,
  EMAIL: reportToMailbox,
};

for (const [channel, connect] of Object.entries(CHANNELS))
  test(`${channel}: messages that arrive late, twice and in reverse are read in the order in which they were written`, async () => {
    const { inbox, report } = await connect();
    const ages = { newest: 5, second: 30 * HOUR - 60, first: 30 * HOUR };
    for (const [text, age] of Object.entries(ages)) for (const _ of [1, 2]) await report(text, age);
    const { result } = (await call(200, 'GET', `/v1/conversations?inbox=${inbox}`)).body;
    const conversation = result.find(({ last_message }: Json) => last_message.content === 'newest');
    const thread = await readThread(conversation._id);
    assert.deepEqual(
      thread.map(({ content }) => content),
      ['first', 'second', 'newest'],
    );
    assert.equal(conversation.last_message_at, thread[2]?.createdAt);
    assert.equal(conversation.unread_count, 3);
    const { body: contact } = await call(200, 'GET', `/v1/contacts/${conversation.contact}`);
    assert.equal(contact.last_message_at, thread[2]?.createdAt);
  });

test('a reply that arrives in the second of our message is read after it', async () => {
  const from = makePhoneNumber();
  const { conversation } = await postAndReadMessage({ platform, network, phone }, { from });
  const sent = await call(201, 'POST', '/v1/messages/send-text', {
    body: { conversationId: conversation, message: { content: 'Here you are' } },
  });
  const second = Math.floor(Date.parse(sent.body.createdAt) / 1000);
  await postAndReadMessage({ platform, network, phone }, { from, timestamp: String(second) });
  assert.equal((await readThread(conversation))[1]?._id, sent.body._id);
});

test('an agent reads late messages in their order, behind what it has answered already', async () => {
  const { _id: default_agent } = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' } })).body;
  const shop = await connectPhone(platform, { inbox: { default_agent } });
  const from = makePhoneNumber();
  const write = (text: string, age: number): Promise<unknown> =>
    network.post(
      200,
      buildMessageNotification(shop, { from, timestamp: secondsAgo(age), type: 'text', text: { body: text } }),
    );
  model.answer((_call, response) => sendJson(response, say('Sure.')));
  const listAsked = (calls: number): Promise<string[]> =>
    waitUntil(
      'the model to be asked',
      () =>
        model.calls.length >= calls &&
        model.calls
          .at(-1)
          ?.body.messages.slice(1)
          .map((each: Json) => each.content),
    );
  await write('Hello', 3);
  await listAsked(1);
  const { result } = (await call(200, 'GET', `/v1/conversations?inbox=${shop.inbox}`)).body;
  await waitUntil('the answer', async () => (await readThread(result[0]._id)).length === 2);
  await network.post(
    200,
    buildMessageNotification(
      shop,
      { from, timestamp: secondsAgo(30 * HOUR - 60), type: 'text', text: { body: 'second' } },
      { from, timestamp: secondsAgo(30 * HOUR), type: 'text', text: { body: 'first' } },
    ),
  );
  assert.deepEqual(await listAsked(2), ['Hello', 'Sure.', 'first', 'second']);
});

test('a reaction and its removal open nothing, wake no one, are not unread and are not the last message; a reaction opens the window', async () => {
  const from = makePhoneNumber();
  const post = (message: Json): Promise<Json> => postAndReadMessage({ platform, network, phone }, { from, ...message });
  const asked = await post({ timestamp: secondsAgo(30 * HOUR) });
  const reaction = { message_id: asked.external_id };
  const change = (body: Json): Promise<unknown> =>
    call(200, 'PATCH', `/v1/conversations/${asked.conversation}`, { body });
  for (const state of [
    { status: 'SNOOZED', snoozed_until: new Date(Date.now() + 3_600_000).toISOString() },
    { status: 'CLOSED' },
  ]) {
    await change(state);
    const before = await readConversation(asked.conversation);
    const given = await post({ id: makeMessageId(), type: 'reaction', reaction: { ...reaction, emoji: '👍' } });
    assert.deepEqual([given.conversation, given.reaction], [asked.conversation, { message: asked._id, emoji: '👍' }]);
    const { window_expires_at, ...rest } = await readConversation(asked.conversation);
    assert.ok(Date.parse(window_expires_at) > Date.now());
    assert.deepEqual({ ...rest, window_expires_at: before.window_expires_at }, before);
    const removed = await post({ id: makeMessageId(), type: 'reaction', reaction });
    assert.deepEqual(removed.reaction, { message: asked._id, emoji: null });
    assert.deepEqual(await readConversation(asked.conversation), { ...rest, window_expires_at });
  }
});

test('a reaction that arrives before all messages of its person waits for them in the same open conversation', async () => {
  const from = makePhoneNumber();
  const post = (message: Json): Promise<Json> => postAndReadMessage({ platform, network, phone }, { from, ...message });
  const id = makeMessageId();
  const early = await post({ type: 'reaction', reaction: { message_id: id, emoji: '👍' } });
  assert.deepEqual((await post({ id })).conversation, early.conversation);
  const { status, unread_count } = await readConversation(early.conversation);
  assert.deepEqual([status, unread_count], ['OPEN', 1]);
});
