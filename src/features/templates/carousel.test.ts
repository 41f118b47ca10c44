/** Templates whose cards show attachments of the company, sent one by one and in bulk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeJpg, makeMp3, makePicture } from '../../../test/support/media-samples.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { listNetworkMessages, readMessage, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo, sandbox } = platform;

const card = {
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Quero' }] },
  ],
};
await call(201, 'POST', `/v1/inboxes/${demo.inbox}/templates`, {
  body: {
    name: 'plants',
    language: 'pt_BR',
    category: 'MARKETING',
    components: [
      { type: 'BODY', text: 'Plantas raras' },
      { type: 'CAROUSEL', cards: [card, card, card] },
    ],
  },
});

const countUploads = async (): Promise<number> => (await sandbox('GET', '/sandbox/stats')).uploads;
const showPictures = (ids: string[]): Json[] =>
  ids.map((imageId, number) => ({ card: number, type: 'header', parameters: [{ imageId }] }));
const uploadPicture = async (width: number): Promise<string> =>
  (await uploadFile(platform, { data: makeJpg(width, 40) }))._id;

/** Sends the template with these pictures in its cards. */
const send = (status: number, ids: string[]): Promise<Json> =>
  call(status, 'POST', '/v1/messages/send-template', {
    body: {
      inboxId: demo.inbox,
      phone: `+${makePhoneNumber()}`,
      message: { template: { name: 'plants', language: 'pt_BR', components: showPictures(ids) } },
    },
  });

const sendBulk = (ids: string[], contacts: number): Promise<Json> =>
  postForm(platform, [201, '/v1/messages/send-bulk-template'], {
    inboxId: demo.inbox,
    templateName: 'plants',
    languageCode: 'pt_BR',
    components: JSON.stringify(showPictures(ids)),
    contacts: JSON.stringify(Array.from({ length: contacts }, () => ({ phone: makePhoneNumber() }))),
  });

const readCards = (template: Json): string[] => {
  const { cards } = template.components.find(({ type }: Json) => type === 'carousel');
  return cards.map(({ components }: Json) => components[0].parameters[0].image.id);
};

/** Returns the ids of the files that the network got in the cards of a message. */
async function readFileIds(message: string): Promise<string[]> {
  const [wire, ...more] = await listNetworkMessages(platform, message);
  assert.deepEqual(more, []);
  return readCards(wire.body.template);
}

test('the attachments in the cards of a carousel are uploaded once each, and the message keeps them from being removed', async () => {
  const [red, blue] = [await uploadPicture(80), await uploadPicture(81)];
  const before = await countUploads();
  const { body: first } = await send(201, [red, blue, red]);
  const { body: second } = await send(201, [blue, red, blue]);
  assert.equal((await countUploads()) - before, 2);
  const [a = '', b = '', again] = await readFileIds(first._id);
  assert.match(`${a} ${b}`, /^\d+ \d+$/);
  assert.notEqual(a, b);
  assert.equal(again, a);
  assert.deepEqual(await readFileIds(second._id), [b, a, b]);
  assert.deepEqual([first.status, first.attachment, readCards(first.template)], ['SENT', null, [red, blue, red]]);
  assert.deepEqual(await readMessage(platform, first._id), first);
  for (const id of [red, blue])
    expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${id}`), 'ATTACHMENT_IN_USE');
  for (const { contact } of [first, second]) await call(200, 'DELETE', `/v1/contacts/${contact}`);
  for (const id of [red, blue]) await call(200, 'DELETE', `/v1/resource/attachments/${id}`);
});

test('files of cards that the network has forgotten are uploaded again, and the template is sent once', async () => {
  const ids = [await uploadPicture(82), await uploadPicture(83)];
  const { body: first } = await send(201, [...ids, ids[0]!]);
  const [known = '', forgotten = ''] = await readFileIds(first._id);
  await sandbox('DELETE', `/sandbox/media?id=${forgotten}`);
  const { body: second } = await send(201, [...ids, ids[0]!]);
  assert.equal(second.status, 'SENT');
  const anew = await readFileIds(second._id);
  assert.ok(!anew.includes(forgotten), `${anew.join(' ')} has ${forgotten}, known ${known}`);
});

test('a picture that the network does not take is converted for the card that shows it', async () => {
  const webp = await uploadFile(platform, { data: await makePicture('webp', { width: 90, height: 40 }) });
  const { body } = await send(201, [webp._id, webp._id, webp._id]);
  assert.equal(body.status, 'SENT');
  assert.ok((await call(200, 'GET', `/v1/resource/attachments/${webp._id}`)).body.meta.converted);
});

test('an attachment that a card does not take, and one that the company does not have, are 400 with their place', async () => {
  const picture = await uploadPicture(84);
  const sound = await uploadFile(platform, { data: makeMp3() });
  const before = await countUploads();
  const { errors } = (await send(400, [picture, sound._id, picture])).body;
  const path = 'message.template.components[1].parameters[0].imageId';
  assert.deepEqual([errors[0].path, errors[0].code], [path, 'TYPE_MISMATCH']);
  const other = await platform.createCompany();
  const theirs = await uploadFile(platform, { data: makeJpg(85, 40) }, other.key);
  for (const id of [theirs._id, demo._id])
    expectProblem(await send(400, [picture, id, picture]), 'UNKNOWN_REFERENCE', path);
  expectProblem(await send(400, [picture, picture]), 'VALIDATION_FAILED', 'message.template.components');
  assert.equal(await countUploads(), before);
});

test('a bulk run uploads the attachments of its cards once for all contacts, and its messages keep them', async () => {
  const ids = [await uploadPicture(86), await uploadPicture(87), await uploadPicture(88)];
  const before = await countUploads();
  const { body } = await sendBulk(ids, 20);
  assert.deepEqual([body.sentCount, (await countUploads()) - before], [20, 3]);
  const shown = new Set<string>();
  for (const { message } of body.sentContacts) shown.add((await readFileIds(message)).join(' '));
  assert.equal(shown.size, 1);
  expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${ids[2]}`), 'ATTACHMENT_IN_USE');
});

test('a picture that a contact has sent stays while a card shows it, when its first message is erased, and goes with the last one', async () => {
  const data = makeJpg(89, 40);
  const media = { base64: data.toString('base64'), mime_type: 'image/jpeg' };
  const { id } = await platform.receive({ from: makePhoneNumber(), type: 'image', media });
  const [received] = await database.sql<{ attachment_id: string; contact_id: string }>(
    'select attachment_id, contact_id from messages where external_id = $1',
    [id],
  );
  const { attachment_id: picture, contact_id: contact } = received!;
  const { body: sent } = await sendWhenReady(picture);
  await call(200, 'DELETE', `/v1/contacts/${contact}`);
  await call(200, 'GET', `/v1/resource/attachments/${picture}`);
  await call(200, 'DELETE', `/v1/contacts/${sent.contact}`);
  await call(404, 'GET', `/v1/resource/attachments/${picture}`);
});

async function sendWhenReady(picture: string): Promise<Json> {
  await waitUntil('the picture', async () => {
    const { body } = await call(200, 'GET', `/v1/resource/attachments/${picture}`);
    return body.meta.size !== undefined;
  });
  return send(201, [picture, picture, picture]);
}
