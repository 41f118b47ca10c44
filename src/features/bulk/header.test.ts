/** Bulk runs of a template whose header shows an attachment of the company. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeJpg, makeMp3 } from '../../../test/support/media-samples.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo, database, sandbox } = platform;
await waitUntilCopied(platform, demo.inbox);

const countUploads = async (): Promise<number> => (await sandbox('GET', '/sandbox/stats')).uploads;
const setFaults = (faults: Json): Promise<Json> => sandbox('PUT', '/sandbox/settings', { faults });

/** Sends the template with the picture to so many new contacts. */
function sendOffer(status: number, picture: string, contacts = 5): Promise<Answer> {
  const components = [
    { type: 'header', parameters: [{ imageId: picture }] },
    { parameters: [{ text: 'Ana' }, { text: '25%' }] },
    { index: 1, parameters: [{ text: 'verao' }] },
    { index: 2, parameters: [{ text: 'VERAO25' }] },
  ];
  return postForm(platform, [status, '/v1/messages/send-bulk-template'], {
    inboxId: demo.inbox,
    templateName: 'summer_offer',
    languageCode: 'pt_BR',
    components: JSON.stringify(components),
    contacts: JSON.stringify(Array.from({ length: contacts }, () => ({ phone: makePhoneNumber() }))),
  });
}

/** Returns the ids of the files that the network got in the headers of these messages. */
async function readFileIds(sent: Json[]): Promise<string[]> {
  const { messages } = await sandbox('GET', '/sandbox/messages');
  const ids = new Set(sent.map(({ message }) => message));
  const headers = messages.filter((wire: Json) => ids.has(wire.biz_opaque_callback_data));
  assert.equal(headers.length, sent.length);
  return headers.map(({ body }: Json) => body.template.components[0].parameters[0].image.id);
}

test('a bulk run uploads the attachment of the header once for all contacts, whose messages show it', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(70, 40) });
  const before = await countUploads();
  const { body } = await sendOffer(201, picture._id, 30);
  assert.deepEqual([body.sentCount, (await countUploads()) - before], [30, 1]);
  assert.equal(new Set(await readFileIds(body.sentContacts)).size, 1);
  const { body: message } = await call(200, 'GET', `/v1/messages/${body.sentContacts[0].message}`);
  assert.deepEqual([message.attachment, message.media.mimeType], [picture._id, 'image/jpeg']);
  expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${picture._id}`), 'ATTACHMENT_IN_USE');
});

test('a header file that the network has forgotten, or refuses, is uploaded again once at most for all contacts of a bulk run', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(71, 40) });
  const [id] = await readFileIds((await sendOffer(201, picture._id, 1)).body.sentContacts);
  await sandbox('DELETE', `/sandbox/media?id=${id}`);
  const before = await countUploads();
  const { body } = await sendOffer(201, picture._id, 30);
  assert.deepEqual([body.sentCount, (await countUploads()) - before], [30, 1]);
  await setFaults({ send: [{ code: 131009, times: null }] });
  const { body: refused } = await sendOffer(201, picture._id);
  await setFaults({ send: [] });
  assert.deepEqual([refused.errorCount, (await countUploads()) - before], [5, 2]);
});

test('a bulk run whose header file the network does not take reports all contacts with its reason, and sends nothing', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(73, 40) });
  const { sends } = await sandbox('GET', '/sandbox/stats');
  await setFaults({ media: [{ code: 131053, times: 1 }] });
  const { body } = await sendOffer(201, picture._id);
  await setFaults({ media: [] });
  assert.deepEqual([body.status, body.sentCount], ['COMPLETED', 0]);
  assert.deepEqual(
    body.errors.map(({ code }: Json) => code),
    [131053, 131053, 131053, 131053, 131053],
  );
  assert.equal((await sandbox('GET', '/sandbox/stats')).sends, sends);
});

test('a bulk run whose header file is removed before its first message reports all contacts, and sends nothing', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(74, 40) });
  await setFaults({ media: [{ kind: 'slow', ms: 3_000, times: 1 }] });
  const sending = sendOffer(201, picture._id);
  await waitUntil('the run is stored', async () => {
    const runs = await database.sql('select 1 from bulk_runs where completed_at is null');
    return runs.length > 0;
  });
  await call(200, 'DELETE', `/v1/resource/attachments/${picture._id}`);
  const { body } = await sending;
  assert.deepEqual([body.status, body.sentCount, body.errorCount], ['COMPLETED', 0, 5]);
  assert.equal(body.errors[0].code, 'UNKNOWN_REFERENCE');
});

test('a bulk run whose header file is missing from the store reports all contacts, and sends nothing', async () => {
  const picture = await uploadFile(platform, { data: makeJpg(76, 40) });
  await rm(join(platform.dataDir, 'files', picture.storage_key));
  const { body } = await sendOffer(201, picture._id);
  assert.deepEqual(
    [body.status, body.sentCount, ...body.errors.map(({ code }: Json) => code)],
    ['COMPLETED', 0, ...Array.from({ length: 5 }, () => 'UNKNOWN_REFERENCE')],
  );
});

test('an attachment that the header does not take is refused with its place before a bulk run begins', async () => {
  const sound = await uploadFile(platform, { data: makeMp3() });
  const refused = await sendOffer(400, sound._id);
  assert.equal(refused.body.errors[0].path, 'components[0].parameters[0].imageId');
});
