/** Events of the gateway become elements of the platform, whatever is in them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertStorable, mutate } from '../../../test/support/mutations.ts';
import { createRandom } from '../../../test/support/random.ts';
import { readSeed } from '../../../test/full/harness/chance.ts';
import type { Inbound } from '../channel.ts';
import { listParts } from '../content.ts';
import { nameFile, readFileName } from './file-name.ts';
import { parseEvent } from './parse.ts';
import { partnerSamples } from './samples.ts';
import { partnerApiSettings } from './settings.ts';

const parse = (body: unknown): (Inbound | null)[] => [...parseEvent(body, partnerApiSettings.sample)];

const JID = '5585991230001@s.whatsapp.net';

function readMessage(message: object, more: object = {}) {
  const data = { key: { id: 'A1', remoteJid: JID, fromMe: false }, message, messageTimestamp: 1_781_524_800, ...more };
  const [element] = parse({ event: 'messages.upsert', data });
  assert.ok(element?.kind === 'message');
  return { ...element, ...listParts(element) };
}

const file = { mimetype: 'audio/ogg; codecs=opus', fileLength: '2048' };

/** Messages by the type and the text or other part that they have to get. */
const CONTENTS: [message: object, contentType: string, shown: unknown][] = [
  [{ conversation: 'Oi' }, 'TEXT', 'Oi'],
  [{ extendedTextMessage: { text: 'Veja https://a.example' } }, 'TEXT', 'Veja https://a.example'],
  [{ ephemeralMessage: { message: { conversation: 'some' } } }, 'TEXT', 'some'],
  [{ viewOnceMessageV2: { message: { imageMessage: { ...file, caption: 'foto' } } } }, 'IMAGE', 'foto'],
  [{ videoMessage: { ...file, caption: '' } }, 'VIDEO', null],
  [{ audioMessage: { ...file, ptt: true } }, 'AUDIO', null],
  [
    { documentWithCaptionMessage: { message: { documentMessage: { ...file, caption: 'o pdf' } } } },
    'DOCUMENT',
    'o pdf',
  ],
  [{ stickerMessage: file }, 'STICKER', null],
  [{ locationMessage: { degreesLatitude: -3.7, degreesLongitude: -38.5 } }, 'LOCATION', null],
  [
    { contactMessage: { displayName: 'Ana', vcard: 'BEGIN:VCARD\nTEL;waid=5585991230001:+55 85 99123-0001' } },
    'CONTACTS',
    null,
  ],
  [{ reactionMessage: { key: { id: 'A0' }, text: '👍' } }, 'REACTION', null],
  [{ listResponseMessage: { title: 'Pão', singleSelectReply: { selectedRowId: 'p1' } } }, 'INTERACTIVE', 'Pão'],
  [{ buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Sim' } }, 'INTERACTIVE', 'Sim'],
  [{ templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Quero' } }, 'INTERACTIVE', 'Quero'],
  [{ pinInChatMessage: { title: 'Preso' } }, 'UNSUPPORTED', 'Preso'],
  [{ locationMessage: { degreesLatitude: 'north' } }, 'UNSUPPORTED', null],
];

test('each kind of message has its content, and one that is not understood is kept as it came', () => {
  for (const [message, contentType, shown] of CONTENTS) {
    const read = readMessage(message);
    assert.deepEqual([read.contentType, read.content], [contentType, shown]);
  }
  const { media } = readMessage({ audioMessage: { ...file, ptt: true } });
  assert.deepEqual([media?.networkId, media?.size], ['A1', 2048]);
  const kept = readMessage({ imageMessage: file, mediaUrl: 'https://files.example/a b' }).media;
  assert.equal(kept?.networkId, 'A1 https://files.example/a b');
  const { contacts } = readMessage(CONTENTS[9]?.[0] ?? {});
  assert.deepEqual(contacts, [
    { name: { formatted_name: 'Ana' }, phones: [{ phone: '+55 85 99123-0001', wa_id: '5585991230001' }] },
  ]);
});

/** Messages in envelopes, and the words of offers and of what was chosen. */
const DEEPER: [message: object, contentType: string, shown: unknown][] = [
  [{ associatedChildMessage: { message: { imageMessage: { ...file, caption: 'foto 1' } } } }, 'IMAGE', 'foto 1'],
  [{ lottieStickerMessage: { message: { stickerMessage: file } }, messageContextInfo: {} }, 'STICKER', null],
  [{ botInvokeMessage: { message: { ephemeralMessage: { message: { conversation: 'oi' } } } } }, 'TEXT', 'oi'],
  [{ groupMentionedMessage: { message: { futureMessage: { text: 'novo' } } } }, 'UNSUPPORTED', 'novo'],
  [{ statusMentionMessage: { message: { protocolMessage: { type: 25 } } } }, 'UNSUPPORTED', null],
  [
    {
      interactiveMessage: {
        header: { title: 'Loja' },
        body: { text: 'Escolha' },
        nativeFlowMessage: { buttons: [{ buttonParamsJson: '{"display_text":"Sim"}' }, { buttonParamsJson: '{' }, 7] },
      },
    },
    'TEXT',
    'Loja\nEscolha\n• Sim',
  ],
  [
    {
      templateMessage: {
        hydratedTemplate: {
          hydratedContentText: 'Seu pedido',
          hydratedButtons: [{ urlButton: { displayText: 'Ver' } }],
        },
      },
    },
    'TEXT',
    'Seu pedido\n• Ver',
  ],
  [
    { buttonsMessage: { contentText: 'Vem?', buttons: [{ buttonText: { displayText: 'Vou' } }] } },
    'TEXT',
    'Vem?\n• Vou',
  ],
  [{ listMessage: { title: 'Pães', sections: [{ rows: [{ title: 'Francês' }] }] } }, 'TEXT', 'Pães\n• Francês'],
  [{ productMessage: { product: { title: 'Bolo' }, body: 'Novo' } }, 'TEXT', 'Bolo\nNovo'],
  [{ pollCreationMessageV3: { name: 'Qual?', options: [{ optionName: 'A' }] } }, 'TEXT', 'Qual?\n• A'],
  [{ pollUpdateMessage: { vote: { selectedOptions: ['A', 'B'] } } }, 'INTERACTIVE', 'A\nB'],
  [{ pollUpdateMessage: { vote: { encPayload: 'eA==' } } }, 'UNSUPPORTED', null],
  [{ orderMessage: { orderId: '9', message: 'Dois bolos', thumbnail: 'eA==' } }, 'INTERACTIVE', 'Dois bolos'],
  [
    {
      interactiveResponseMessage: {
        body: { text: 'Enviado' },
        nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"a":1}' },
      },
    },
    'INTERACTIVE',
    'Enviado',
  ],
];

test('a message in any envelope is read, offers and choices have their words, and the mark of an album is no message', () => {
  for (const [message, contentType, shown] of DEEPER) {
    const read = readMessage(message);
    assert.deepEqual([read.contentType, read.content], [contentType, shown]);
  }
  assert.deepEqual(readMessage(DEEPER.at(-1)?.[0] ?? {}).interactive?.response, { a: 1 });
  const key = { id: 'A1', remoteJid: JID };
  assert.deepEqual(parse({ event: 'messages.upsert', data: { key, message: { albumMessage: {} } } }), [null]);
});

test('a message has what it answers, where it was forwarded from, and the advertisement that led to it', () => {
  const contextInfo = {
    stanzaId: 'A0',
    isForwarded: true,
    forwardingScore: 7,
    externalAdReply: { title: 'Oferta', sourceId: '77', thumbnail: 'x'.repeat(9_000) },
  };
  const read = readMessage({ extendedTextMessage: { text: 'Oi', contextInfo } });
  assert.deepEqual([read.replyTo, read.forwarded, read.referral], ['A0', 'OFTEN', { title: 'Oferta', sourceId: '77' }]);
});

test('a message that the gateway could not decrypt yet is left out, because it comes again with the same id', () => {
  for (const message of [{}, null, { messageContextInfo: {} }, { senderKeyDistributionMessage: {}, base64: 'eA==' }]) {
    const [element] = parse({ event: 'messages.upsert', data: { key: { id: 'A1', remoteJid: JID }, message } });
    assert.equal(element, null);
  }
});

test('a list of messages is read element by element, and a broken one hides no other', () => {
  const good = { key: { id: 'A1', remoteJid: JID, fromMe: false }, message: { conversation: 'Oi' } };
  const kinds = parse({ event: 'MESSAGES_UPSERT', data: [good, { key: 7 }, null, good] }).map(
    (element) => element?.kind,
  );
  assert.deepEqual(kinds, ['message', 'unreadable', 'unreadable', 'message']);
});

test('a list of things that are no messages is not multiplied by its own length', () => {
  const elements = parse({ event: 'messages.upsert', data: Array.from({ length: 100_000 }, () => 0) });
  assert.equal(elements.length, 100_000);
  for (const element of elements) assert.ok(element?.kind === 'unreadable' && element.raw === 0);
});

test('an event of another instance than that of the inbox is ignored', () => {
  const data = { key: { id: 'A1', remoteJid: JID, fromMe: false }, message: { conversation: 'Oi' } };
  assert.deepEqual(parse({ event: 'messages.upsert', instance: 'an earlier one', data }), [null]);
});

test('one instance has one address, in whatever way the address of its gateway is written', () => {
  const address = (base_url: string): string | undefined =>
    partnerApiSettings.address?.({ ...partnerApiSettings.sample, base_url });
  const written = ['https://Gateway.example/A', 'https://gateway.example/A/', 'https://gateway.example/A?x=1#y'];
  assert.deepEqual(new Set(written.map(address)).size, 1);
  assert.notEqual(address('https://gateway.example/A'), address('https://gateway.example/a'));
});

test('the link of a file is read back as it was, also when it has spaces', () => {
  const around = { externalId: 'A1', mediaUrl: 'https://files.example/a b c', item: null };
  const named = nameFile(around, 'imageMessage', {});
  assert.deepEqual(readFileName(named), { id: 'A1', url: around.mediaUrl, cloud: null });
  assert.deepEqual(readFileName('A1'), { id: 'A1', url: null, cloud: null });
});

test('the key of the gateway, which stands in each event, is in no element', () => {
  for (const body of [
    { apikey: 'the-key' },
    { event: 'messages.upsert', apikey: 'the-key' },
    ...partnerSamples.callbacks,
  ])
    assert.doesNotMatch(JSON.stringify(parse(body)), /the-key/);
});

const ROUNDS = 2_000;

test('an event that no gateway would send is parsed to elements that can be stored', () => {
  const random = createRandom(readSeed());
  const pick = (): unknown => partnerSamples.callbacks[Math.floor(random() * partnerSamples.callbacks.length)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const event = structuredClone(pick());
    mutate(event, structuredClone(pick()), random);
    for (const element of parse(event)) {
      if (!element) continue;
      assertStorable(element);
      if ('person' in element && element.kind === 'message') assert.ok(element.person.names.length > 0);
      if ('externalId' in element) assert.ok(element.externalId !== '' && element.externalId.length <= 512);
    }
  }
});

const samples = new URL('../../../../shared/fixtures/evolution-captured/webhooks/', import.meta.url);
const skip = existsSync(samples) ? false : 'the captured events are not beside this repository';

/** The events that are about no message, or about a sent one without its content. */
const IGNORED = /contacts-upsert|chats-upsert|instance-delete|evo2-send-message-(?:image|document)Message/;

test('every event that a real gateway sent is read', { skip }, () => {
  const files = readdirSync(samples);
  for (const name of files) {
    const { body } = JSON.parse(readFileSync(new URL(name, samples), 'utf8')) as { body: { instance: string } };
    const config = { ...partnerApiSettings.sample, instance_name: body.instance };
    const kinds = [...parseEvent(body, config)].map((element) => element?.kind ?? null);
    const wanted = IGNORED.test(name) ? null : /messages-update/.test(name) ? 'status' : 'message';
    assert.deepEqual(kinds, [wanted], name);
  }
  assert.ok(files.length >= 20);
});
