/** Templates whose header shows an attachment of the company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeGif, makeJpg, makeMp3, makePdf } from '../../../test/support/media-samples.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { listNetworkMessages, readMessage, silenceNetwork } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo, sandbox } = platform;
await waitUntilCopied(platform, demo.inbox);

const countUploads = async (): Promise<number> => (await sandbox('GET', '/sandbox/stats')).uploads;
const remove = (status: number, { _id }: Json): Promise<Json> =>
  call(status, 'DELETE', `/v1/resource/attachments/${_id}`);

const send = (status: number, name: string, language: string, components: Json[]): Promise<Json> =>
  call(status, 'POST', '/v1/messages/send-template', {
    body: {
      inboxId: demo.inbox,
      phone: `+${makePhoneNumber()}`,
      message: { template: { name, language, components } },
    },
  });

/** The values of the template that has a picture in its header. */
const fillOffer = (picture: Json): Json[] => [
  { type: 'header', parameters: [picture] },
  { parameters: [{ text: 'Ana' }, { text: '25%' }] },
  { index: 1, parameters: [{ text: 'verao' }] },
  { index: 2, parameters: [{ text: 'VERAO25' }] },
];
const sendOffer = (status: number, picture: Json): Promise<Json> =>
  send(status, 'summer_offer', 'pt_BR', fillOffer(picture));

/** Sends the template that has a document in its header. */
const sendInvoice = (status: number, document: Json): Promise<Json> =>
  send(status, 'invoice', 'en_US', [
    { type: 'header', parameters: [document] },
    { parameters: [{ parameter_name: 'amount', text: '$5' }] },
  ]);

/** Returns what the network got as the header of a message. */
async function readHeader({ body }: Json): Promise<Json> {
  const [wire, ...more] = await listNetworkMessages(platform, body._id);
  assert.deepEqual(more, []);
  return wire.body.template.components.find(({ type }: Json) => type === 'header').parameters[0];
}

test('an attachment in the header of a template is uploaded once for all messages, which show it and keep it from being removed', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(60, 40), name: 'sol.jpg' });
  const before = await countUploads();
  const first = await sendOffer(201, { imageId: picture._id });
  const second = await sendOffer(201, { image: { id: picture._id } });
  assert.equal((await countUploads()) - before, 1);
  const { type, image } = await readHeader(first);
  assert.equal(type, 'image');
  assert.match(image.id, /^\d+$/);
  assert.deepEqual(await readHeader(second), { type, image: { id: image.id } });
  const { status, attachment, media, template } = first.body;
  assert.deepEqual([status, attachment, media.fileName], ['SENT', picture._id, 'sol.jpg']);
  assert.deepEqual(template.components[0], {
    type: 'header',
    parameters: [{ type: 'image', image: { id: picture._id } }],
  });
  assert.deepEqual(await readMessage(platform, first.body._id), first.body);
  expectProblem(await remove(409, picture), 'ATTACHMENT_IN_USE');
});

test('an attachment cannot be removed as long as the template of a campaign shows it', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(60, 40), name: 'sol.jpg' });
  const template = { name: 'summer_offer', language: 'pt_BR', components: fillOffer({ imageId: picture._id }) };
  const body = { name: 'Summer', inbox: demo.inbox, steps: [{ template }] };
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', { body });
  expectProblem(await remove(409, picture), 'ATTACHMENT_IN_USE');
  const other = { steps: [{ template: { name: 'hello_world', language: 'pt_BR' } }] };
  await call(200, 'PATCH', `/v1/campaigns/${campaign._id}`, { body: other });
  await remove(200, picture);
});

test('a document in the header of a template has the name that the caller gives it, or else that of the attachment', async () => {
  const document = await uploadFile(platform, { data: makePdf(), name: 'fatura.pdf' });
  const named = await sendInvoice(201, { document: { id: document._id, filename: 'Invoice 7.pdf' } });
  assert.equal((await readHeader(named)).document.filename, 'Invoice 7.pdf');
  const unnamed = await sendInvoice(201, { document: { id: document._id } });
  assert.equal((await readHeader(unnamed)).document.filename, 'fatura.pdf');
});

test('an attachment that the header does not take is answered 400 with its place and what is accepted, and nothing is sent', async () => {
  const [gif, sound, text, picture] = await Promise.all([
    uploadFile(platform, { data: makeGif(2) }),
    uploadFile(platform, { data: makeMp3() }),
    uploadFile(platform, { data: 'Olá' }),
    uploadFile(platform, { data: makeJpg(62, 40) }),
  ]);
  const large = await uploadFile(platform, { data: Buffer.concat([makeJpg(63, 40), Buffer.alloc(100)]) });
  await platform.database.sql('update attachments set bytes = 6000000 where _id = $1', [large._id]);
  const before = await countUploads();
  const at = 'message.template.components[0].parameters[0]';
  const expectFault = ({ body }: Json, path: string, code: string, message: RegExp): void => {
    assert.deepEqual([body.errors[0].path, body.errors[0].code], [path, code]);
    assert.match(body.errors[0].message, message);
  };
  expectFault(
    await sendOffer(400, { imageId: gif._id }),
    `${at}.imageId`,
    'UNSUPPORTED_FORMAT',
    /image\/jpeg, image\/png/,
  );
  expectFault(await sendOffer(400, { image: { id: sound._id } }), `${at}.image.id`, 'TYPE_MISMATCH', /AUDIO/);
  expectFault(await sendOffer(400, { imageId: large._id }), `${at}.imageId`, 'TOO_LARGE', /at most 5242880/);
  for (const { _id } of [text, picture])
    expectFault(
      await sendInvoice(400, { document: { id: _id } }),
      `${at}.document.id`,
      'UNSUPPORTED_FORMAT',
      /application\/pdf/,
    );
  assert.equal(await countUploads(), before);
});
