/** Instances with the Cloud API behind them: their templates, and the files of their messages. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import {
  awaitStatus,
  connectInstance,
  findByExternalId,
  listCalls,
  setGateway,
  silenceGateway,
  writeThrough,
  type Instance,
} from '../../../test/support/gateway.ts';
import { makeJpg, makePdf } from '../../../test/support/media-samples.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceGateway(platform);
const { call, database, sandbox } = platform;
const [business, phone] = [
  await connectInstance(platform, { integration: 'business' }),
  await connectInstance(platform),
];
await waitUntilCopied(platform, business.inbox);

const HELLO = { name: 'hello_world', language: 'en_US' };
const templatesOf = ({ inbox }: Instance): string => `/v1/inboxes/${inbox}/templates`;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;
const send = (status: number, { inbox }: Instance, template: Json = HELLO, to = makePhoneNumber()) =>
  call(status, 'POST', '/v1/messages/send-template', {
    body: { inboxId: inbox, phone: `+${to}`, message: { template } },
  });
const listSent = (to: Instance = business): Promise<Json[]> => listCalls(platform, to, 'message/sendTemplate');

test('the templates of the account behind an instance are listed, and one is sent with its values', async () => {
  const { body: page } = await call(200, 'GET', `${templatesOf(business)}?name=order_update`);
  assert.deepEqual([page.catalogue.error, page.result[0].status], [null, 'APPROVED']);
  const to = makePhoneNumber();
  const { body: sent } = await send(201, business, HELLO, to);
  assert.deepEqual([sent.status, sent.contentType], ['SENT', 'TEMPLATE']);
  assert.match(sent.content, /Welcome!/);
  assert.deepEqual((await listSent()).at(-1), { number: to, name: 'hello_world', language: 'en_US' });
});

test('when the gateway cannot read the templates they stay as they were, and the list says so', async () => {
  const before = (await call(200, 'GET', templatesOf(business))).body.result;
  const refused = { code: 1, http_status: 400, message: 'Error to create template' };
  for (const fault of [{ code: 1, http_status: 200, message: 'no list' }, { kind: 'not_json' }, refused]) {
    await setGateway(platform, { faults: { find: [fault] } });
    await database.sql('update template_catalogues set is_waiting = true, error = null where held_until is null');
    const page = await waitUntil('the error', async () => {
      const { body } = await call(200, 'GET', templatesOf(business));
      return body.catalogue.error !== null && body;
    });
    assert.deepEqual(page.result, before);
  }
});

test('a picture of the company in the header of a template travels as a link that opens it', async () => {
  const components = [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Novidades' },
  ];
  await sandbox('POST', '/sandbox/templates', { name: 'with_picture', language: 'pt_BR', components });
  await database.sql('update template_catalogues set is_waiting = true where held_until is null');
  await waitUntil('the new template', async () => {
    const { body } = await call(200, 'GET', `${templatesOf(business)}?name=with_picture`);
    return body.result[0];
  });
  const picture = makeJpg();
  const { _id: id } = await uploadFile(platform, { data: picture, name: 'cor.jpg' });
  const given = [{ type: 'header', parameters: [{ image: { id } }] }];
  await send(201, business, { name: 'with_picture', language: 'pt_BR', components: given });
  const [header] = (await listSent()).at(-1)?.components ?? [];
  const { link } = header.parameters[0].image;
  assert.deepEqual(Buffer.from(await (await fetch(link)).arrayBuffer()), picture);
});

test('an instance of a paired phone has no templates: each way to send one is 400, names the inbox and stores nothing', async () => {
  const code = 'TEMPLATES_NOT_SUPPORTED';
  expectProblem(await call(400, 'GET', templatesOf(phone)), code, 'id');
  expectProblem(await send(400, phone), code, 'inboxId');
  const { conversation } = await writeThrough(platform, phone);
  const body = { conversationId: conversation, message: { template: HELLO } };
  expectProblem(await call(400, 'POST', '/v1/messages/send-template', { body }), code, 'conversationId');
  const campaign = { name: 'Spring', inbox: phone.inbox, steps: [{ template: HELLO }] };
  expectProblem(await call(400, 'POST', '/v1/campaigns', { body: campaign }), code, 'inbox');
  const bulk = { inboxId: phone.inbox, templateName: 'hello_world', languageCode: 'en_US' };
  const form = { ...bulk, contacts: JSON.stringify([{ phone: makePhoneNumber() }]) };
  expectProblem(await postForm(platform, [400, '/v1/messages/send-bulk-template'], form), code, 'inboxId');
  assert.deepEqual(await listSent(phone), []);
  const [{ stored }] = await database.sql<Json>(
    "select count(*)::int as stored from messages where inbox_id = $1 and message_type = 'OUTGOING'",
    [phone.inbox],
  );
  assert.equal(stored, 0);
});

test('templates are made and removed at the network, and through a gateway that is 400', async () => {
  const body = { ...HELLO, name: 'new', category: 'UTILITY', components: [{ type: 'BODY', text: 'Olá' }] };
  expectProblem(await call(400, 'POST', templatesOf(business), { body }), 'VALIDATION_FAILED', 'id');
  expectProblem(await call(400, 'DELETE', `${templatesOf(business)}/hello_world`), 'VALIDATION_FAILED', 'id');
});

test('a template that the Cloud API refuses is FAILED with its code', async () => {
  await setGateway(platform, { faults: { sendTemplate: [{ code: 132_015, message: 'Template is paused' }] } });
  const { body: refused } = await send(201, business);
  assert.deepEqual([refused.status, refused.errors[0].code], ['FAILED', 132_015]);
});

test('a template whose outcome is unknown is settled by the report that names it, and is sent once', async () => {
  const before = (await listSent()).length;
  await setGateway(platform, { faults: { sendTemplate: [{ kind: 'reset_after_accept' }] } });
  const { body: lost } = await send(201, business);
  const settled = await awaitStatus(platform, business, lost._id, 'SENT');
  assert.match(settled.external_id, /^wamid\./);
  assert.equal((await listSent()).length, before + 1);
});

test('bulk runs and campaigns send templates through a gateway', async () => {
  const [byBulk, byCampaign] = [makePhoneNumber(), makePhoneNumber()];
  const bulk = { inboxId: business.inbox, templateName: 'hello_world', languageCode: 'en_US' };
  const form = { ...bulk, contacts: JSON.stringify([{ phone: byBulk }]) };
  const { body: run } = await postForm(platform, [201, '/v1/messages/send-bulk-template'], form);
  assert.deepEqual([run.sentCount, run.errorCount], [1, 0]);
  const body = { name: 'Spring', inbox: business.inbox, steps: [{ template: HELLO }] };
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', { body });
  const contacts = [{ phone: byCampaign }];
  await call(201, 'POST', `/v1/campaigns/${campaign._id}/enrollments`, { body: { contacts } });
  await call(201, 'POST', `/v1/campaigns/${campaign._id}/start`);
  await waitUntil('the campaign to end', async () => {
    const { body: now } = await call(200, 'GET', `/v1/campaigns/${campaign._id}`);
    return now.status === 'COMPLETED';
  });
  const numbers = (await listSent()).map(({ number }) => number);
  for (const number of [byBulk, byCampaign]) assert.equal(numbers.filter((each) => each === number).length, 1);
});

test('an inbox that moves from the Cloud API to a paired phone has no templates any more', async () => {
  const moving = await connectInstance(platform, { integration: 'business' });
  await waitUntilCopied(platform, moving.inbox);
  await call(200, 'PUT', `/v1/inboxes/${moving.inbox}`, { body: { name: 'Renamed' } });
  await call(200, 'GET', templatesOf(moving));
  const other = { name: `${moving.name} moved`, api_key: moving.apiKey };
  await sandbox('POST', '/sandbox/gateway/instances', other);
  const partner_api_config = {
    base_url: `${platform.sandboxUrl}/gateway`,
    api_key: moving.apiKey,
    instance_name: other.name,
  };
  await call(200, 'PUT', `/v1/inboxes/${moving.inbox}`, { body: { partner_api_config } });
  expectProblem(await call(400, 'GET', templatesOf(moving)), 'TEMPLATES_NOT_SUPPORTED', 'id');
});

/** Waits until the file of a message has arrived, and returns its bytes with the media type by which it is served. */
async function readFile({ _id }: Json): Promise<{ bytes: Buffer; type: string | null }> {
  const answer = await waitUntil('the file', async () => {
    const { media } = await read(_id);
    assert.equal(media.error, undefined);
    const found = media.url ? await fetch(media.url) : null;
    return found?.status === 200 && found;
  });
  return { bytes: Buffer.from(await answer.arrayBuffer()), type: answer.headers.get('content-type') };
}

const PICTURE = { mime_type: 'image/jpeg', sha256: '4654+8g=', id: '65463453' };

test('a file that an instance on the Cloud API puts into its event is stored as the file that it is, once', async () => {
  const [picture, pdf] = [makeJpg(), makePdf()];
  const from = makePhoneNumber();
  const written = await writeThrough(platform, business, {
    from,
    message: { imageMessage: { ...PICTURE, caption: 'A cor' }, base64: picture.toString('base64') },
    message_type: 'imageMessage',
  });
  assert.deepEqual([written.contentType, written.content], ['IMAGE', 'A cor']);
  assert.deepEqual(await readFile(written), { bytes: picture, type: 'image/jpeg' });
  const file = { mime_type: 'application/pdf', filename: 'conta.pdf', id: '65463454' };
  const message = { documentMessage: file, base64: pdf.toString('base64') };
  const sent = { from, message, message_type: 'documentMessage' };
  const document = await writeThrough(platform, business, sent);
  assert.equal(document.media.fileName, 'conta.pdf');
  assert.deepEqual((await readFile(document)).bytes, pdf);
  const countKept = async (): Promise<number> =>
    (await readdir(join(platform.dataDir, 'files', platform.demo._id, 'pushed'))).length;
  const before = await countKept();
  await writeThrough(platform, business, { ...sent, id: document.external_id });
  assert.equal(await countKept(), before, 'a repeated event leaves nothing behind');
});

test('a file that an instance on the Cloud API leaves out is fetched by the id that it has there', async () => {
  const voice = Buffer.from('OggS and the rest of a voice note');
  const audioMessage = { mime_type: 'audio/ogg; codecs=opus', id: '1234567890987654321', voice: true, ptt: true };
  const id = `wamid.${makePhoneNumber()}`;
  await sandbox('POST', '/sandbox/gateway/inbound', {
    instance: business.name,
    from: makePhoneNumber(),
    id,
    message: { audioMessage },
    message_type: 'audioMessage',
    base64: voice.toString('base64'),
  });
  const message = await findByExternalId(platform, business, id);
  assert.equal(message.contentType, 'AUDIO');
  assert.deepEqual((await readFile(message)).bytes, voice);
});
