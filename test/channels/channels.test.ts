/**
 * The promises that hold on every channel, each with its network behind it: a server that takes what is sent and tells what happens.
 * A channel that lacks an ability says so in `can`, and what needs it is refused.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ContentType } from '../../src/channels/content.ts';
import { CHANNEL_NAMES, type ChannelName, type NamedChannel } from '../../src/channels/registry.ts';
import { giveUpUnknownOutcomes } from '../../src/features/inbound/upkeep.ts';
import { uploadFile } from '../support/attachments.ts';
import { makeJpg, makeMp3, makeMp4, makePdf, makeWebp } from '../support/media-samples.ts';
import { startPlatform, type Answer, type Json } from '../support/platform.ts';
import { expectProblem } from '../support/refusals.ts';
import { listEventNames, readMessage } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';
import type { Scene } from './scene.ts';
import { SCENES } from './scenes.ts';

const platform = await startPlatform();
const { call, database, running } = platform;

/** Bodies that no network sends. */
const BROKEN = ['', '{', '\0\0', 'null', '7', '""', '[]', '{}', '[[[]]]', '['.repeat(10_000), '{"event":{"a":[]}}'];

interface Stage {
  name: ChannelName;
  channel: NamedChannel;
  scene: Scene;
}

const stages: Stage[] = [];
for (const name of CHANNEL_NAMES) {
  const scene = await SCENES[name](platform);
  stages.push({ name, channel: running.kit.channels.get(name), scene });
}

async function find({ inbox }: Scene, externalId: string): Promise<Json> {
  const [row] = await database.sql<{ _id: string }>(
    'select _id from messages where inbox_id = $1 and external_id = $2',
    [inbox, externalId],
  );
  return row ? readMessage(platform, row._id) : null;
}

/** Makes a new person write a text. */
async function open(scene: Scene, text = 'Oi'): Promise<{ person: string; message: Json; conversation: string }> {
  const person = await scene.makePerson();
  const message = await find(scene, await scene.write({ from: person, text }));
  return { person, message, conversation: message.conversation };
}

interface Sending {
  content?: string;
  key?: string;
  status?: number;
}

async function send(
  scene: Scene,
  conversationId: string,
  { content = 'Olá', key, status = 201 }: Sending = {},
): Promise<Json> {
  await scene.rest?.();
  const body = { conversationId, message: { content } };
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return (await call(status, 'POST', '/v1/messages/send-text', { body, headers })).body;
}

const countMessages = async (conversation: string): Promise<number> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.meta.totalCount;

/** A file of each type that every channel takes which takes the type at all. */
const FILES: [contentType: ContentType, operation: string, data: Buffer, name: string][] = [
  ['IMAGE', 'image', makeJpg(), 'cor.jpg'],
  ['AUDIO', 'audio', makeMp3(), 'som.mp3'],
  ['VIDEO', 'video', await makeMp4(), 'filme.mp4'],
  ['DOCUMENT', 'document', makePdf(), 'conta.pdf'],
  ['STICKER', 'sticker', makeWebp(), 'figura.webp'],
];

async function sendFile(
  scene: Scene,
  conversationId: string,
  [contentType, operation, data, name]: (typeof FILES)[number],
  { status = 201, content }: Sending = {},
) {
  await scene.rest?.();
  const { _id: attachment } = await uploadFile(platform, { data, name, fileType: contentType });
  const message = { attachment, ...(content !== undefined && { content }) };
  return call(status, 'POST', `/v1/messages/send-${operation}`, { body: { conversationId, message } });
}

const olga = await platform.createUser(platform.demo._id, 'OPERATOR', 'Olga Operator');

/** Sends a text, or a file with it, as an operator whose name the inbox shows. */
async function sendAsOlga(
  scene: Scene,
  conversationId: string,
  content: string,
  { file, status = 201 }: { file?: (typeof FILES)[number] | undefined; status?: number } = {},
): Promise<Answer> {
  await scene.rest?.();
  const show = (include_operator_name_on_message: boolean): Promise<unknown> =>
    call(200, 'PUT', `/v1/inboxes/${scene.inbox}`, { body: { general_config: { include_operator_name_on_message } } });
  await show(true);
  const attachment = file && (await uploadFile(platform, { data: file[2], name: file[3], fileType: file[0] }))._id;
  const body = { conversationId, message: { content, ...(attachment && { attachment }) } };
  const answer = await call(status, 'POST', `/v1/messages/send-${file?.[1] ?? 'text'}`, { body, key: olga.token });
  await show(false);
  return answer;
}

// A call that is never answered takes ten seconds, so these calls begin before all tests.
const hanging = await Promise.all(
  stages.map(async ({ name, scene }) => {
    if (!scene.breakNext) return { name, answer: null, person: '' };
    const { person, conversation } = await open(scene);
    await scene.breakNext('hung', person);
    const answer = send(scene, conversation);
    await scene.awaitFault();
    return { name, answer, person };
  }),
);

for (const stage of stages) {
  const { name, channel, scene } = stage;
  const { can } = channel;

  test(`${name}: what a person writes is stored once with its text and its author, and emits MESSAGE_RECEIVED`, async () => {
    const person = await scene.makePerson();
    const id = await scene.write({ from: person, name: 'Rui Costa', text: 'Bom dia! 👋' });
    const message = await find(scene, id);
    assert.deepEqual(
      [message.content, message.contentType, message.status, message.sender_type, message.message_type],
      ['Bom dia! 👋', 'TEXT', 'RECEIVED', 'CONTACT', 'INCOMING'],
    );
    assert.deepEqual([message.channel, message.inbox], [name, scene.inbox]);
    const { body: contact } = await call(200, 'GET', `/v1/contacts/${message.contact}`);
    for (const [field, value] of Object.entries(scene.describeContact(person, 'Rui Costa')))
      assert.equal(contact[field], value, field);
    assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_RECEIVED']);
  });

  test(`${name}: a message that the network reports three times is stored once, with one event`, async () => {
    const { person, message, conversation } = await open(scene);
    const again = { from: person, text: 'Oi', id: message.external_id };
    await Promise.all([scene.write(again), scene.write(again)]);
    assert.equal(await countMessages(conversation), 1);
    assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_RECEIVED']);
    assert.deepEqual(await listEventNames(platform, message.contact), ['CONTACT_CREATED']);
  });

  test(`${name}: a picture of a person is stored byte by byte`, async () => {
    const picture = makeJpg(64, 48);
    const person = await scene.makePerson();
    const message = await find(scene, await scene.write({ from: person, picture }));
    assert.equal(message.contentType, 'IMAGE');
    const { url } = await waitUntil('the file', async () => {
      const { media } = await readMessage(platform, message._id);
      return media.url && (await fetch(media.url)).status === 200 && media;
    });
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), picture);
  });

  test(`${name}: an answer reaches its person once, and nobody else`, async () => {
    const [{ person, conversation }, other] = [await open(scene), await open(scene)];
    const sent = await send(scene, conversation, { content: 'Bom dia!\nTudo bem? 👋' });
    assert.deepEqual([sent.status, sent.channel, sent.conversation], ['SENT', name, conversation]);
    assert.deepEqual(await scene.listTaken(person), ['Bom dia!\nTudo bem? 👋']);
    assert.deepEqual(await scene.listTaken(other.person), []);
    assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
  });

  const { before: nameLine, counts: isCounted } = scene.olga;
  test(`${name}: an operator's name ${nameLine ? 'stands before' : 'is shown beside'} what they write${nameLine.startsWith('*') ? ', in bold' : ''}, and not in the stored message`, async () => {
    const { person, conversation } = await open(scene);
    const { body: sent } = await sendAsOlga(scene, conversation, 'Sou eu');
    const { body: picture } = await sendAsOlga(scene, conversation, 'A azul', { file: FILES[0] });
    assert.deepEqual(await scene.listTaken(person), [`${nameLine}Sou eu`, `${nameLine}A azul`]);
    assert.deepEqual([sent.content, picture.content], ['Sou eu', 'A azul']);
    const { body: stored } = await call(200, 'GET', `/v1/messages/${sent._id}`);
    assert.deepEqual([stored.content, stored.status], ['Sou eu', 'SENT']);
  });

  test(`${name}: a text of 4,096 characters ${isCounted ? "leaves room for the operator's name, or is 400" : "is sent with the operator's name"}`, async () => {
    const { person, conversation } = await open(scene);
    const fitting = 'ã'.repeat(4_096 - (isCounted ? nameLine.length : 0));
    await sendAsOlga(scene, conversation, fitting);
    assert.deepEqual(await scene.listTaken(person), [nameLine + fitting]);
    if (!isCounted) return;
    const refused = await sendAsOlga(scene, conversation, `${fitting}ã`, { status: 400 });
    expectProblem(refused, 'VALIDATION_FAILED', 'message.content');
    assert.equal(await countMessages(conversation), 2);
  });

  for (const file of FILES) {
    const [contentType, , data] = file;
    const format = can.media.find((each) => each.contentType === contentType);
    if (format)
      test(`${name}: a file reaches its person byte by byte as ${contentType}, with its caption where the network shows one`, async () => {
        const { person, conversation } = await open(scene);
        const caption = format.maxCaption !== 0 ? { content: 'A azul' } : {};
        const { body: sent } = await sendFile(scene, conversation, file, caption);
        assert.deepEqual([sent.status, sent.contentType], ['SENT', contentType]);
        assert.deepEqual(await scene.readTaken(person, sent), data);
        assert.deepEqual(await scene.listTaken(person), [caption.content ?? '']);
        if (format.maxCaption !== 0) return;
        const refused = await sendFile(scene, conversation, file, { content: 'A azul', status: 400 });
        assert.equal(refused.body.errors[0].path, 'message.content');
      });
    else
      test(`${name}: a file as ${contentType}, which the network does not take, is 400 and stores nothing`, async () => {
        const { conversation } = await open(scene);
        const refused = await sendFile(scene, conversation, file, { status: 400 });
        expectProblem(refused, 'CONTENT_NOT_SUPPORTED', 'conversationId');
        assert.equal(await countMessages(conversation), 1);
      });
  }

  if (scene.reports.includes('READ'))
    test(`${name}: statuses only rise, however often and in whatever order they come, with one event for each rise`, async () => {
      const { person, conversation } = await open(scene);
      const [rising, leaping] = [await send(scene, conversation), await send(scene, conversation)];
      for (const [sent, statuses, events] of [
        [rising, ['DELIVERED', 'DELIVERED', 'READ'], ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_READ']],
        [leaping, ['READ', 'DELIVERED', 'READ'], ['MESSAGE_SENT', 'MESSAGE_READ']],
      ] as const) {
        for (const status of statuses) await scene.report({ ...sent, person }, status);
        assert.equal((await readMessage(platform, sent._id)).status, 'READ');
        assert.deepEqual(await listEventNames(platform, sent._id), events);
      }
    });

  if (scene.reports.includes('FAILED'))
    test(`${name}: a failure that the network reports makes a message FAILED with a cause, and emits MESSAGE_FAILED only where the channel reports failures`, async () => {
      const { person, conversation } = await open(scene);
      const sent = await send(scene, conversation);
      await scene.report({ ...sent, person }, 'FAILED');
      const failed = await readMessage(platform, sent._id);
      assert.deepEqual([failed.status, failed.errors.length], ['FAILED', 1]);
      assert.equal('failure_reason' in failed, can.reportsFailures);
      const told = can.reportsFailures ? ['MESSAGE_SENT', 'MESSAGE_FAILED'] : ['MESSAGE_SENT'];
      assert.deepEqual(await listEventNames(platform, sent._id), told);
    });

  const { returnOwn, writeElsewhere, breakNext } = scene;
  if (returnOwn)
    test(`${name}: a message of ours that comes back is neither stored again nor changed`, async () => {
      const { person, conversation } = await open(scene);
      const sent = await send(scene, conversation, { content: 'as it was sent' });
      for (const _ of [1, 2]) await returnOwn({ ...sent, person });
      assert.equal(await countMessages(conversation), 2);
      // The network may say that it has sent the message a little earlier than the platform noted.
      const after = await readMessage(platform, sent._id);
      const { sent_at, updatedAt } = after;
      assert.deepEqual(after, sent_at === sent.sent_at ? sent : { ...sent, sent_at, updatedAt });
      assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
    });

  if (writeElsewhere)
    test(`${name}: what somebody of the business writes in another program is stored once as an echo, with a status that came before it`, async () => {
      const { person, conversation } = await open(scene);
      const id = await writeElsewhere({ to: person, text: 'Já vou' });
      const echo = await find(scene, id);
      await writeElsewhere({ to: person, text: 'Já vou', id });
      assert.deepEqual(
        [echo.content, echo.conversation, echo.message_type, echo.is_echo, echo.origin],
        ['Já vou', conversation, 'OUTGOING', true, 'BUSINESS_APP'],
      );
      const early = `early-${randomUUID()}`;
      await scene.report({ external_id: early, person }, 'READ');
      await writeElsewhere({ to: person, text: 'Cheguei', id: early });
      assert.equal((await find(scene, early)).status, 'READ');
      assert.equal(await countMessages(conversation), 3);
    });

  if (breakNext) {
    test(`${name}: a refusal of the network makes a message FAILED with its cause, and emits nothing`, async () => {
      const { person, conversation } = await open(scene);
      await breakNext('refused', person);
      const refused = await send(scene, conversation);
      assert.deepEqual([refused.status, refused.errors.length], ['FAILED', 1]);
      assert.notEqual(refused.errors[0].code, 'PROVIDER_UNREACHABLE');
      assert.deepEqual(await listEventNames(platform, refused._id), []);
      assert.deepEqual(await scene.listTaken(person), []);
    });

    test(`${name}: a message whose outcome is unknown is never sent again, stays QUEUED for a day, and is then FAILED with PROVIDER_UNREACHABLE`, async () => {
      const { person, conversation } = await open(scene);
      await breakNext('cut', person);
      const key = randomUUID();
      const queued = await send(scene, conversation, { key });
      assert.deepEqual([queued.status, queued.errors, queued.external_id], ['QUEUED', [], null]);
      // The network would take a second call, because the fault has happened.
      assert.deepEqual(await send(scene, conversation, { key }), queued);
      const age = async (interval: string): Promise<Json> => {
        const older = 'update messages set created_at = now() - $2::interval where _id = $1';
        await database.sql(older, [queued._id, interval]);
        await giveUpUnknownOutcomes(running.kit);
        return readMessage(platform, queued._id);
      };
      assert.equal((await age('23 hours 59 minutes')).status, 'QUEUED');
      const { status, errors } = await age('24 hours 1 second');
      assert.deepEqual([status, errors[0].code], ['FAILED', 'PROVIDER_UNREACHABLE']);
      assert.deepEqual(await scene.listTaken(person), []);
      assert.deepEqual(await listEventNames(platform, queued._id), []);
    });

    test(`${name}: a call that the network never answers is 201 QUEUED, and is not repeated`, async () => {
      const { answer, person } = hanging.find((each) => each.name === name) ?? { answer: null, person: '' };
      const queued = await answer;
      assert.deepEqual([queued.status, queued.errors, queued.external_id], ['QUEUED', [], null]);
      assert.deepEqual(await scene.listTaken(person), []);
      assert.deepEqual(await listEventNames(platform, queued._id), []);
    });
  }

  test(`${name}: what no network would post is answered without a 5xx, changes nothing, and the next message is stored`, async () => {
    const { person } = await open(scene);
    const count = async (): Promise<Json> => {
      const tables = ['messages', 'contacts', 'conversations', 'deliveries'];
      const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ');
      return (await database.sql(`select ${counts}`))[0];
    };
    const before = await count();
    for (const body of [...BROKEN, ...scene.broken]) {
      const status = await scene.post(body);
      assert.ok(status < 500, `${body.slice(0, 80)} was answered ${status}`);
    }
    assert.deepEqual(await count(), before);
    const next = await find(scene, await scene.write({ from: person, text: 'Still here?' }));
    assert.equal(next.content, 'Still here?');
  });

  if (can.unsubscribe)
    test(`${name}: a message can carry an address at which its recipient unsubscribes`, async () => {
      const { conversation } = await open(scene);
      const body = { conversationId: conversation, message: { content: 'News' }, unsubscribe: true };
      assert.equal((await call(201, 'POST', '/v1/messages/send-text', { body })).body.status, 'SENT');
    });
  else
    test(`${name}: an address to unsubscribe, which its messages cannot carry, is 400 and stores nothing`, async () => {
      const { conversation } = await open(scene);
      const body = { conversationId: conversation, message: { content: 'News' }, unsubscribe: true };
      expectProblem(await call(400, 'POST', '/v1/messages/send-text', { body }), 'VALIDATION_FAILED', 'unsubscribe');
      assert.equal(await countMessages(conversation), 1);
    });

  const template = { contentType: 'TEMPLATE', template: { name: 'hello_world', language: 'en_US' } };
  if (can.templates)
    test(`${name}: an approved template is sent to a number that never wrote`, async () => {
      const { inbox, listTaken } = scene.templates ?? { inbox: '', listTaken: null };
      const body = { inboxId: inbox, phone: `+${await scene.makePerson()}`, message: template };
      const { body: sent } = await call(201, 'POST', '/v1/messages/send-template', { body });
      assert.deepEqual([sent.status, sent.contentType, sent.channel], ['SENT', 'TEMPLATE', name]);
      assert.deepEqual(await listTaken?.(), ['hello_world']);
    });
  else
    test(`${name}: a template, which the network does not have, is 400 and stores nothing`, async () => {
      const { conversation } = await open(scene);
      const body = { conversationId: conversation, message: template };
      const refused = await call(400, 'POST', '/v1/messages/send-template', { body });
      expectProblem(refused, 'TEMPLATES_NOT_SUPPORTED', 'conversationId');
      assert.equal(await countMessages(conversation), 1);
    });
}
