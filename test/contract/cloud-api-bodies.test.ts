/**
 * Compares the bodies that the platform sends with those that the network publishes, and with its schema, when they are in a folder beside
 * the repository. A clone without that folder skips this file; body.test.ts of the channel compares the same bodies with its own.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { makeInteractiveOffer, type MessageContent } from '../../src/channels/content.ts';
import type { OutboundFile } from '../../src/channels/media.ts';
import { FILE_TYPES } from '../../src/platform/work/media/formats.ts';
import { buildBody } from '../../src/channels/wap-auto-closer/body.ts';
import { toPerson } from '../../src/channels/wap-auto-closer/person.ts';
import { wapSamples } from '../../src/channels/wap-auto-closer/samples.ts';
import type { Json } from '../support/platform.ts';

const published = new URL('../../../shared/fixtures/meta-openapi/', import.meta.url);
const skip = existsSync(published) ? false : 'the published samples are not beside this repository';

const read = (path: string): string => readFileSync(new URL(path, published), 'utf8');

/** The content types of which the network publishes examples; templates have a test of their own. */
const TYPES = [
  'TEXT',
  'IMAGE',
  'AUDIO',
  'VIDEO',
  'DOCUMENT',
  'STICKER',
  'LOCATION',
  'CONTACTS',
  'REACTION',
  'INTERACTIVE',
] as const;
type PublishedType = (typeof TYPES)[number];

const findType = (example: Json): PublishedType | undefined =>
  TYPES.find((type) => (example.type ?? type.toLowerCase()) === type.toLowerCase() && type.toLowerCase() in example);

/** Reads the content that an example sends. */
function readContent(type: PublishedType, part: Json): MessageContent {
  if (type === 'TEXT') return { contentType: type, content: part.body };
  if (type === 'LOCATION') return { contentType: type, location: { name: null, address: null, url: null, ...part } };
  if (type === 'CONTACTS') return { contentType: type, contacts: part as unknown as unknown[] };
  if (type === 'REACTION') return { contentType: type, reaction: { externalId: part.message_id, emoji: part.emoji } };
  if (type !== 'INTERACTIVE') return { contentType: type, content: part.caption ?? null };
  const { type: kind, body, ...offer } = part;
  const interactive = makeInteractiveOffer(kind, offer as { action: Json });
  return { contentType: type, content: body?.text ?? null, interactive };
}

const makeFile = ({ id, link, filename }: Json): OutboundFile => ({
  mimeType: 'image/jpeg',
  fileName: filename ?? 'file',
  bytes: 3,
  url: link ?? 'https://files.example.test/a',
  voice: false,
  networkId: id ?? null,
  open: () => Promise.resolve(Readable.from(['abc'])),
});

const build = (content: MessageContent, file: OutboundFile | null, to: string, replyTo: string | null): Json =>
  buildBody({ messageId: 'own', to: toPerson({ phone: '1' }), content, file, replyTo }, { to }) ?? {};

const isMedia = (type: string): boolean => FILE_TYPES.some((each) => each === type);

if (!skip) {
  const names = readdirSync(new URL('send-requests/', published)).filter((name) => name.endsWith('.json'));
  const examples = names.map((name) => ({ name, body: JSON.parse(read(`send-requests/${name}`)) as Json }));
  const compared = examples.filter(({ body }) => body.status === undefined && findType(body));

  test('the network publishes an example of each kind of message', () => {
    assert.deepEqual(new Set(compared.map(({ body }) => findType(body))), new Set(TYPES));
  });

  for (const { name, body } of compared) {
    test(`the platform sends the published ${name} for the same content`, () => {
      const type = findType(body) ?? 'TEXT';
      const part = body[type.toLowerCase()];
      const file = isMedia(type) ? makeFile(part) : null;
      const own = build(readContent(type, part), file, body.to, body.context?.message_id ?? null);
      // The platform always sends these, and some examples leave them out.
      const expected = {
        recipient_type: 'individual',
        type: type.toLowerCase(),
        ...structuredClone(body),
        biz_opaque_callback_data: 'own',
      };
      if (type === 'TEXT') expected.text = { preview_url: own.text.preview_url, ...part };
      if (type === 'DOCUMENT') expected.document = { filename: 'file', ...part };
      assert.deepEqual(own, expected);
    });
  }
}

/** The published document, without what contradicts its own examples or leaves out what the network takes. */
function readSchemas(): Json {
  const document = parse(read('business-messaging-api_v23.0.yaml')) as Json;
  const { schemas } = document.components;
  const { BaseMessageProperties: base } = schemas;
  for (const { $ref } of schemas.Message.oneOf) {
    const name = String($ref).split('/').at(-1) ?? '';
    // Each half of the two refuses the properties of the other.
    const [, own] = schemas[name].allOf;
    const properties = { ...base.properties, biz_opaque_callback_data: { type: 'string' }, ...own.properties };
    schemas[name] = { ...own, required: [...base.required, ...own.required], properties };
  }
  // The examples have numbers.
  Object.assign(schemas.LocationMessage.properties.location.properties, {
    latitude: { type: 'number' },
    longitude: { type: 'number' },
  });
  return document;
}

test('each kind of message that the platform sends is valid by the published schema', { skip }, () => {
  // The document has the vocabulary of OpenAPI, which is more than that of JSON Schema.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(readSchemas(), 'network');
  for (const content of wapSamples.contents.filter(({ contentType }) => TYPES.some((type) => type === contentType))) {
    const files = isMedia(content.contentType)
      ? [makeFile({ id: '7' }), { ...makeFile({ id: '7' }), voice: true }]
      : [null];
    for (const file of files) {
      const body = build(content, file, '5585991230001', 'wamid.IN1');
      const schema = `${String(body.type).replace(/^./, (letter) => letter.toUpperCase())}Message`;
      const valid = ajv.validate(`network#/components/schemas/${schema}`, body);
      assert.ok(valid, `${schema}: ${ajv.errorsText()}`);
      assert.equal(ajv.validate(`network#/components/schemas/${schema}`, { ...body, surprise: 1 }), false, schema);
    }
  }
});
