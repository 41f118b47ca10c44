/** Builds the body of each kind of message. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makeInteractiveReply, makeInteractiveOffer, type MessageContent } from '../content.ts';
import type { OutboundFile } from '../media.ts';
import { addressRecipient, buildBody } from './body.ts';
import { toPerson } from './person.ts';

const file: OutboundFile = {
  mimeType: 'image/jpeg',
  fileName: 'Orçamento "1".pdf',
  bytes: 3,
  url: 'https://files.example.test/a',
  voice: false,
  networkId: '4490709327384033',
  open: () => Promise.resolve(Readable.from(['abc'])),
};
const id = '4490709327384033';

function build(content: MessageContent, sent: OutboundFile | null, replyTo: string | null = null) {
  const to = toPerson({ phone: '5585991230001' });
  const recipient = addressRecipient(to);
  assert.ok(recipient);
  return buildBody({ messageId: '65f0a1b2c3d4e5f60718293a', to, content, file: sent, replyTo }, recipient);
}

const makeOffer = (type: string, offer: { action: Record<string, unknown>; footer?: Record<string, unknown> }) => ({
  interactive: makeInteractiveOffer(type, offer),
});
const place = { latitude: -3.7327, longitude: -38.527, name: null, address: null, url: null };
const buttons = [{ type: 'reply', reply: { id: 'manha', title: 'De manhã' } }];
const card = {
  name: { formatted_name: 'Ana Sá', first_name: 'Ana' },
  phones: [{ phone: '+5585991230002', type: 'CELL' }],
};

const template = { name: 'a_template', language: 'pt_BR' };
const makeTemplate = (components: Record<string, unknown>[]): MessageContent => ({
  contentType: 'TEMPLATE',
  template: { ...template, components },
});
const sendTemplate = (components: Record<string, unknown>[]) => ({
  type: 'template',
  template: { name: 'a_template', language: { code: 'pt_BR' }, components },
});

const parts: [string, MessageContent, OutboundFile | null, Record<string, unknown>][] = [
  ['an image', { contentType: 'IMAGE' }, file, { type: 'image', image: { id } }],
  ['a caption', { contentType: 'IMAGE', content: 'Azul' }, file, { type: 'image', image: { id, caption: 'Azul' } }],
  ['a video', { contentType: 'VIDEO', content: 'Veja' }, file, { type: 'video', video: { id, caption: 'Veja' } }],
  [
    'a document',
    { contentType: 'DOCUMENT', content: 'Segue' },
    file,
    { type: 'document', document: { id, caption: 'Segue', filename: 'Orçamento "1".pdf' } },
  ],
  [
    'a template whose header shows a file',
    makeTemplate([{ type: 'header', parameters: [{ type: 'image', image: { id: '65f0a1b2c3d4e5f607182930' } }] }]),
    file,
    sendTemplate([{ type: 'header', parameters: [{ type: 'image', image: { id } }] }]),
  ],
  [
    'a template whose header shows a document, with the name of the attachment',
    makeTemplate([
      { type: 'header', parameters: [{ type: 'document', document: { id: '65f0a1b2c3d4e5f607182930' } }] },
    ]),
    file,
    sendTemplate([{ type: 'header', parameters: [{ type: 'document', document: { id, filename: file.fileName } }] }]),
  ],
  ['sound', { contentType: 'AUDIO', content: 'never shown' }, file, { type: 'audio', audio: { id } }],
  ['a voice note', { contentType: 'AUDIO' }, { ...file, voice: true }, { type: 'audio', audio: { id, voice: true } }],
  ['a sticker', { contentType: 'STICKER' }, file, { type: 'sticker', sticker: { id } }],
  [
    'a file that is not uploaded',
    { contentType: 'IMAGE' },
    { ...file, networkId: null },
    { type: 'image', image: { link: 'https://files.example.test/a' } },
  ],
  [
    'a bare location',
    { contentType: 'LOCATION', location: place },
    null,
    { type: 'location', location: { latitude: -3.7327, longitude: -38.527 } },
  ],
  [
    'a named location',
    { contentType: 'LOCATION', location: { ...place, name: 'Loja', address: 'Rua do Sol, 12' } },
    null,
    {
      type: 'location',
      location: { latitude: -3.7327, longitude: -38.527, name: 'Loja', address: 'Rua do Sol, 12' },
    },
  ],
  ['contact cards', { contentType: 'CONTACTS', contacts: [card] }, null, { type: 'contacts', contacts: [card] }],
  [
    'a reaction',
    { contentType: 'REACTION', reaction: { externalId: 'wamid.IN1', emoji: '👍' } },
    null,
    { type: 'reaction', reaction: { message_id: 'wamid.IN1', emoji: '👍' } },
  ],
  [
    'a reaction that is taken back',
    { contentType: 'REACTION', reaction: { externalId: 'wamid.IN1', emoji: null } },
    null,
    { type: 'reaction', reaction: { message_id: 'wamid.IN1', emoji: '' } },
  ],
  [
    'reply buttons',
    { contentType: 'INTERACTIVE', content: 'Quando?', ...makeOffer('button', { action: { buttons } }) },
    null,
    { type: 'interactive', interactive: { type: 'button', body: { text: 'Quando?' }, action: { buttons } } },
  ],
  [
    'a product without a text',
    {
      contentType: 'INTERACTIVE',
      ...makeOffer('product', {
        footer: { text: 'Até sexta' },
        action: { catalog_id: '36', product_retailer_id: 'a1' },
      }),
    },
    null,
    {
      type: 'interactive',
      interactive: {
        type: 'product',
        footer: { text: 'Até sexta' },
        action: { catalog_id: '36', product_retailer_id: 'a1' },
      },
    },
  ],
];

for (const [name, content, sent, part] of parts) {
  test(`the request body for ${name} has exactly the expected properties`, () => {
    assert.deepEqual(build(content, sent), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '5585991230001',
      ...part,
      biz_opaque_callback_data: '65f0a1b2c3d4e5f60718293a',
    });
  });
}

test('each card of a carousel names its own file, and a card with a link of its own keeps it', () => {
  const attachments = ['65f0a1b2c3d4e5f607182930', '65f0a1b2c3d4e5f607182931'];
  const makeCards = (ids: Record<string, string>[]) => [
    {
      type: 'carousel',
      cards: ids.map((image, card_index) => ({
        card_index,
        components: [
          { type: 'header', parameters: [{ type: 'image', image }] },
          { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'p' }] },
        ],
      })),
    },
  ];
  const link = { link: 'https://x.example/2.jpg' };
  const message = {
    messageId: '65f0a1b2c3d4e5f60718293a',
    to: toPerson({ phone: '5585991230001' }),
    content: makeTemplate(makeCards([...attachments.map((attachment) => ({ id: attachment })), link])),
    file: null,
    cards: new Map(attachments.map((attachment, at) => [attachment, { ...file, networkId: `${at}7` }])),
    replyTo: null,
  };
  const { template: sent } = buildBody(message, { to: '1' }) as { template: unknown };
  assert.deepEqual(sent, sendTemplate(makeCards([{ id: '07' }, { id: '17' }, link])).template);
});

test('a picture can be a reply to a message, and a reaction is none', () => {
  assert.deepEqual(build({ contentType: 'IMAGE' }, file, 'wamid.IN1')?.context, { message_id: 'wamid.IN1' });
  // A reaction names its message itself.
  const reaction = { externalId: 'wamid.IN1', emoji: '👍' };
  assert.equal(build({ contentType: 'REACTION', reaction }, null, 'wamid.IN1')?.context, undefined);
});

test('no request body is built for a content without the parts of its type, or of a type that cannot be sent', () => {
  const contents: MessageContent[] = [
    { contentType: 'TEXT', content: null },
    { contentType: 'IMAGE' },
    { contentType: 'TEMPLATE' },
    { contentType: 'INTERACTIVE', interactive: makeInteractiveReply('button_reply', {}) },
    { contentType: 'UNSUPPORTED', unsupported: { kind: 'poll_creation', raw: null } },
  ];
  for (const content of contents) assert.equal(build(content, null), null, content.contentType);
});
