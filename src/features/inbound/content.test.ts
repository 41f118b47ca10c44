import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  buildNotification,
  openNetwork,
  secondsAgo,
  findStoredMessage,
  makeMessageId,
  fillMessage,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { readEvents } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);
// The files of these messages are not at the network, so that their downloads would fail at any moment and show it.
// After ten failures none is begun.
await platform.database.sql(
  `insert into media_failures (company_id, inbox_id, failed_at)
    select company_id, _id, array_fill(now(), array[10]) from inboxes where _id = $1`,
  [phone.inbox],
);

/** Posts one message of a new contact and returns its record, after comparing the record with its event. */
async function receive(message: Record<string, unknown>, value: Record<string, unknown> = {}): Promise<Json> {
  const filled = fillMessage({ from: makePhoneNumber(), ...message });
  await network.post(200, buildNotification({ phone, value: { messages: [filled], ...value } }));
  const stored = await findStoredMessage(platform, phone, filled['id'] as string);
  const events = await readEvents(platform, stored._id);
  assert.deepEqual(events, [{ event: 'MESSAGE_RECEIVED', data: stored }]);
  return stored;
}

const file = { id: '1479537139650973', mime_type: 'image/jpeg', sha256: 'f1Z2', url: 'https://media.example.test/1' };
const media = (mimeType: string, fileName: string | null = null) => ({
  storage_key: null,
  url: null,
  mimeType,
  fileName,
  size: null,
});
const choice = (type: string, parts: Record<string, unknown>) => ({
  type,
  id: null,
  title: null,
  description: null,
  payload: null,
  response: null,
  ...parts,
});
const place = { latitude: -23.5505, longitude: -46.6333 };
const card = { name: { formatted_name: 'Ana Sá' }, phones: [{ phone: '+55 11 98888-0000' }] };
const order = { catalog_id: '1', text: 'Por favor', product_items: [{ product_retailer_id: 'a', quantity: '2' }] };

const CONTENTS: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['a text', { type: 'text', text: { body: 'Olá\n😀' } }, { contentType: 'TEXT', content: 'Olá\n😀' }],
  [
    'an image with caption',
    { type: 'image', image: { ...file, caption: 'Veja' } },
    { contentType: 'IMAGE', content: 'Veja', media: media('image/jpeg') },
  ],
  [
    'a video',
    { type: 'video', video: { ...file, mime_type: 'video/mp4' } },
    { contentType: 'VIDEO', media: media('video/mp4') },
  ],
  [
    'a document with its name',
    { type: 'document', document: { ...file, mime_type: 'application/pdf', filename: 'nota.pdf', caption: 'Nota' } },
    { contentType: 'DOCUMENT', content: 'Nota', media: media('application/pdf', 'nota.pdf') },
  ],
  [
    'a voice note',
    { type: 'audio', audio: { ...file, mime_type: 'audio/ogg; codecs=opus', voice: true } },
    { contentType: 'AUDIO', media: media('audio/ogg; codecs=opus') },
  ],
  [
    'a sticker',
    { type: 'sticker', sticker: { ...file, mime_type: 'image/webp', animated: true } },
    { contentType: 'STICKER', media: media('image/webp') },
  ],
  [
    'a location',
    { type: 'location', location: { ...place, name: 'Sé', address: 'Praça da Sé' } },
    { contentType: 'LOCATION', location: { ...place, name: 'Sé', address: 'Praça da Sé', url: null } },
  ],
  ['contact cards', { type: 'contacts', contacts: [card] }, { contentType: 'CONTACTS', contacts: [card] }],
  [
    'a pressed reply button',
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Sim' } } },
    {
      contentType: 'INTERACTIVE',
      content: 'Sim',
      interactive: choice('button_reply', { id: 'yes', title: 'Sim' }),
    },
  ],
  [
    'a chosen list row',
    {
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'r1', title: 'Azul', description: 'Cor' } },
    },
    {
      contentType: 'INTERACTIVE',
      content: 'Azul',
      interactive: choice('list_reply', { id: 'r1', title: 'Azul', description: 'Cor' }),
    },
  ],
  [
    "a flow's answer",
    {
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":[1]}' } },
    },
    {
      contentType: 'INTERACTIVE',
      content: 'Sent',
      interactive: choice('nfm_reply', { title: 'flow', response: { a: [1] } }),
    },
  ],
  [
    "a flow's answer that is not JSON",
    {
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{broken' } },
    },
    {
      contentType: 'INTERACTIVE',
      content: 'Sent',
      interactive: choice('nfm_reply', { title: 'flow', response: '{broken' }),
    },
  ],
  [
    'a call permission',
    {
      type: 'interactive',
      interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } },
    },
    { contentType: 'INTERACTIVE', interactive: choice('call_permission_reply', { response: { response: 'accept' } }) },
  ],
  [
    "a template's quick reply",
    { type: 'button', button: { payload: 'OPT_A', text: 'Quero' } },
    {
      contentType: 'INTERACTIVE',
      content: 'Quero',
      interactive: choice('button', { title: 'Quero', payload: 'OPT_A' }),
    },
  ],
  [
    'an order',
    { type: 'order', order },
    { contentType: 'INTERACTIVE', content: 'Por favor', interactive: choice('order', { response: order }) },
  ],
  ['a message of an unknown type', { type: 'hologram', hologram: { depth: 3 } }, { contentType: 'UNSUPPORTED' }],
  ['a text without its text', { type: 'text' }, { contentType: 'UNSUPPORTED' }],
  [
    'a message that was passed on many times',
    { type: 'text', text: { body: 'Oi' }, context: { forwarded: true, frequently_forwarded: true } },
    { contentType: 'TEXT', content: 'Oi', forwarded: 'OFTEN' },
  ],
  [
    'a question about a product',
    {
      type: 'text',
      text: { body: 'Tem?' },
      context: { id: 'wamid.NOBODYS', referred_product: { catalog_id: '55', product_retailer_id: 'SKU-1' } },
    },
    {
      contentType: 'TEXT',
      content: 'Tem?',
      referral: { referred_product: { catalog_id: '55', product_retailer_id: 'SKU-1' } },
    },
  ],
];

/** The fields of a message of a contact that are empty unless the content of the message fills them. */
const EMPTY = {
  content: null,
  media: null,
  interactive: null,
  location: null,
  contacts: null,
  reaction: null,
  referral: null,
  email: null,
  forwarded: null,
  reply_to: null,
  errors: [],
  attachment: null,
  template: null,
};

/** Returns a message without the random names of its file, which it has exactly when it has a file. */
function withoutLinks({ media: stored, attachment, ...rest }: Json): Json {
  for (const name of [attachment, stored?.storage_key, stored?.url])
    assert.equal(typeof name === 'string', stored !== null);
  return { ...rest, attachment: null, media: stored && { ...stored, storage_key: null, url: null } };
}

for (const [what, message, expected] of CONTENTS) {
  test(`${what} is stored with its content, and its event has the GET's format`, async () => {
    const stored = await receive(message);
    const actual = Object.fromEntries(
      Object.keys({ ...EMPTY, contentType: '' }).map((field) => [field, stored[field]]),
    );
    assert.deepEqual(withoutLinks(actual), { ...EMPTY, ...expected });
  });
}

test('a message of a contact has its sender, its conversation, its time and its status', async () => {
  const [from, id, timestamp] = [makePhoneNumber(), makeMessageId(), secondsAgo(30)];
  const stored = await receive({ from, id, timestamp });
  const { conversation, contact, _id, createdAt, updatedAt, ...rest } = stored;
  assert.match(`${_id}${conversation}${contact}`, /^[0-9a-f]{72}$/);
  // The network leaves open when in that second it was written.
  assert.equal(createdAt, new Date(Number(timestamp) * 1_000 + 999).toISOString());
  assert.ok(updatedAt > createdAt);
  assert.deepEqual(rest, {
    ...EMPTY,
    company: platform.demo._id,
    contact_summary: { name: null, phone_number: `+${from}`, email: null },
    inbox: phone.inbox,
    channel: 'WAP_AUTO_CLOSER',
    external_id: id,
    sender_type: 'CONTACT',
    sender: contact,
    message_type: 'INCOMING',
    origin: 'CHANNEL',
    status: 'RECEIVED',
    contentType: 'TEXT',
    content: 'Oi',
    unsupported: null,
    mentions: [],
    is_echo: false,
    is_test: false,
    campaign: null,
    enrollment: null,
    agent: null,
    edited_at: null,
    revoked_at: null,
    sent_at: new Date(Number(timestamp) * 1000).toISOString(),
    delivered_at: null,
    read_at: null,
    failed_at: null,
  });
});

test("the network's id and hash of a file are not shown, and its message does not have them", async () => {
  const stored = await receive({ type: 'image', image: file });
  assert.doesNotMatch(JSON.stringify(stored), /1479537139650973|f1Z2|media\.example/);
  const [row] = await platform.database.sql<{ media: Json }>('select media from messages where _id = $1', [stored._id]);
  assert.deepEqual(Object.keys(row?.media).toSorted(), Object.keys(stored.media).toSorted());
});

test('a message of the network has at most 80 kB and its event 96 kB: a longer text is cut, and a larger part makes it UNSUPPORTED', async () => {
  const readSizes = async (stored: Json): Promise<void> => {
    const [event] = await platform.database.sql<{ body: string }>(
      'select body from deliveries where resource_id = $1',
      [stored._id],
    );
    assert.ok(Buffer.byteLength(JSON.stringify(stored)) <= 80 * 1024);
    assert.ok(Buffer.byteLength(event?.body ?? '') <= 96 * 1024);
  };
  const text = '😀\n'.repeat(40_000);
  const long = await receive({ type: 'text', text: { body: text } });
  assert.ok(long.content.length > 10_000 && text.startsWith(long.content.slice(0, -1)) && long.content.endsWith('…'));
  await readSizes(long);
  const cards = Array.from({ length: 1_000 }, () => card);
  const large = await receive({ type: 'contacts', contacts: cards });
  assert.deepEqual([large.contentType, large.contacts], ['UNSUPPORTED', null]);
  assert.deepEqual(large.unsupported, { kind: 'contacts', raw: null });
  await readSizes(large);
});

test('an UNSUPPORTED message keeps its kind, its text and the received element, but only the kind if the element is huge', async () => {
  const poll = { type: 'poll_update', poll_update: { body: 'Which day?', options: ['Monday'] } };
  const stored = await receive(poll);
  assert.deepEqual([stored.content, stored.unsupported.kind], ['Which day?', 'poll_update']);
  assert.deepEqual(stored.unsupported.raw.poll_update, poll.poll_update);
  const { unsupported } = await receive({ type: 'hologram', hologram: { points: 'x'.repeat(20_000) } });
  assert.deepEqual(unsupported, { kind: 'hologram', raw: null });
});

test("an UNSUPPORTED message keeps the network's explanation", async () => {
  const error = { code: 131051, title: 'Unsupported', message: 'Unsupported', error_data: { details: 'Poll' } };
  const stored = await receive({ type: 'unsupported', unsupported: { type: 'poll_creation' }, errors: [error] });
  assert.equal(stored.contentType, 'UNSUPPORTED');
  assert.deepEqual(stored.errors, [{ code: 131051, title: 'Unsupported', message: 'Unsupported', details: 'Poll' }]);
  const beside = await receive({ type: 'interactive' }, { errors: [{ code: 131000, title: 'Wrong' }] });
  assert.equal(beside.contentType, 'UNSUPPORTED');
  assert.equal(beside.errors[0].code, 131000);
});

test('a file that the network could not fetch is stored with its error', async () => {
  const stored = await receive({ type: 'image', image: file, errors: [{ code: 131052, title: 'Download failed' }] });
  assert.equal(stored.contentType, 'IMAGE');
  assert.equal(stored.errors[0].code, 131052);
});

test('the advertisement that led to a message is stored whole', async () => {
  const referral = {
    source_url: 'https://ads.example.test/1',
    source_id: '1',
    source_type: 'ad',
    headline: 'Oferta',
    body: 'Já',
    media_type: 'image',
    image_url: 'https://ads.example.test/i',
    ctwa_clid: 'abc',
    welcome_message: { text: 'Oi' },
  };
  assert.deepEqual((await receive({ referral })).referral, referral);
});

test('characters that the database cannot store are replaced, and the message is stored', async () => {
  const stored = await receive({ type: 'text', text: { body: 'a\u0000b\ud800c' } });
  assert.equal(stored.content, 'a\ufffdb\ufffdc');
});

test('a reply refers to the message that it answers, even when that message arrives later', async () => {
  const from = makePhoneNumber();
  const first = await receive({ from });
  const reply = await receive({ from, context: { from: '551133334444', id: first.external_id } });
  assert.equal(reply.reply_to, first._id);
  const late = makeMessageId();
  const early = await receive({ from, context: { id: late } });
  assert.equal(early.reply_to, null);
  const target = await receive({ from, id: late });
  assert.equal((await findStoredMessage(platform, phone, early.external_id)).reply_to, target._id);
});

test('a reaction refers to its message, even when that message arrives later, and one without an emoji removes it', async () => {
  const [from, late] = [makePhoneNumber(), makeMessageId()];
  const react = (reaction: Record<string, unknown>) => receive({ from, type: 'reaction', reaction });
  const early = await react({ message_id: late, emoji: '👍' });
  assert.deepEqual(early.reaction, { message: null, emoji: '👍' });
  const target = await receive({ from, id: late });
  const resolved = await findStoredMessage(platform, phone, early.external_id);
  assert.deepEqual(resolved.reaction, { message: target._id, emoji: '👍' });
  assert.equal(resolved.contentType, 'REACTION');
  for (const back of [{ message_id: late, emoji: '' }, { message_id: late }]) {
    assert.deepEqual((await react(back)).reaction, { message: target._id, emoji: null });
  }
});

test('a reply and a reaction in the same callback as their target refer to it, in their events too', async () => {
  const [from, target, reply, reaction] = [makePhoneNumber(), makeMessageId(), makeMessageId(), makeMessageId()];
  await network.post(
    200,
    buildMessageNotification(
      phone,
      { from, id: reaction, type: 'reaction', reaction: { message_id: target, emoji: '❤️' } },
      { from, id: reply, context: { id: target } },
      { from, id: target },
    ),
  );
  const answered = await findStoredMessage(platform, phone, target);
  for (const id of [reply, reaction]) {
    const stored = await findStoredMessage(platform, phone, id);
    assert.equal(stored.reply_to, answered._id);
    assert.deepEqual((await readEvents(platform, stored._id))[0]?.data, stored);
  }
});

test('a reply or reaction cannot refer to a message of another inbox or company', async () => {
  const company = await platform.createCompany();
  const other = await connectPhone(platform, { company });
  const [foreign, id] = [makeMessageId(), makeMessageId()];
  await network.post(200, buildMessageNotification(other, { from: makePhoneNumber(), id: foreign }));
  await network.post(200, buildMessageNotification(phone, { from: makePhoneNumber(), id, context: { id: foreign } }));
  assert.equal((await findStoredMessage(platform, phone, id)).reply_to, null);
});
