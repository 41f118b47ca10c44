/** Files that contacts send, from the network's notification to the link that opens them. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeJpg, makePng } from '../../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const setFaults = (faults: Json): Promise<Json> => platform.sandbox('PUT', '/sandbox/settings', { faults });

interface Sent {
  data?: Buffer;
  type?: string;
  mimeType?: string;
  fileName?: string;
  text?: string;
}

/** Makes a contact send a file, and returns the stored message as it is at once. */
async function sendFile({
  data = makePng(),
  type = 'image',
  mimeType = 'image/png',
  ...rest
}: Sent = {}): Promise<Json> {
  const media = { base64: data.toString('base64'), mime_type: mimeType, file_name: rest.fileName };
  const { id } = await platform.receive({
    from: makePhoneNumber(),
    type,
    media,
    ...(rest.text && { text: rest.text }),
  });
  return readByExternalId(id);
}

async function readByExternalId(id: string): Promise<Json> {
  const [row] = await database.sql<{ _id: string }>('select _id from messages where external_id = $1', [id]);
  return (await call(200, 'GET', `/v1/messages/${row?._id}`)).body;
}

/** Waits until the file of a message is there or cannot be had, and returns the message. */
const settled = (message: Json): Promise<Json> =>
  waitUntil('the file to be settled', async () => {
    const [row] = await database.sql('select 1 from media_downloads where message_id = $1', [message._id]);
    return row === undefined && (await call(200, 'GET', `/v1/messages/${message._id}`)).body;
  });

/** Lets files that rest wait again at once. */
const endRests = (): Promise<Json> =>
  database.sql(`update media_downloads set state = 'WAITING', due_at = null where state = 'RESTING'`);
const forgetFailures = (): Promise<Json> => database.sql('delete from media_failures');

const countRecords = async (): Promise<number> => {
  const [row] = await database.sql<{ count: number }>('select count(*)::int as count from attachments');
  return row?.count ?? 0;
};

async function listStore(): Promise<string[]> {
  const entries = await readdir(join(platform.dataDir, 'files'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('a picture that a contact sends gets its record and its link at once, and the link returns exactly the picture', async () => {
  const data = makePng();
  const message = await sendFile({ data, text: 'Look' });
  const { storage_key, url, mimeType } = message.media;
  assert.ok(url.startsWith(`${platform.url}/files/${demo._id}/`) && url.endsWith('.png'), url);
  assert.deepEqual([message.content, mimeType], ['Look', 'image/png']);
  const [delivery] = await platform.deliveries(({ body }) => body.data._id === message._id);
  const { attachment, media } = delivery.body.data;
  assert.deepEqual([attachment, media.url, media.storage_key], [message.attachment, url, storage_key]);
  const ready = await settled(message);
  assert.deepEqual(ready.media, { storage_key, url, mimeType: 'image/png', fileName: null, size: data.length });
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(data));
  const record = (await call(200, 'GET', `/v1/resource/attachments/${message.attachment}`)).body;
  assert.deepEqual([record.external_url, record.storage_key, record.meta.size], [url, storage_key, data.length]);
});

test('a file whose type differs from what the network says is served with its real type, or only saved by browsers', async () => {
  const picture = await settled(await sendFile({ data: makeJpg(), mimeType: 'image/png' }));
  assert.equal((await fetch(picture.media.url)).headers.get('content-type'), 'image/jpeg');
  const script = Buffer.from('<html><script>alert(1)</script>\0');
  const lying = await settled(await sendFile({ data: script, mimeType: 'image/png' }));
  const answer = await fetch(lying.media.url);
  assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
  assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(script));
});

test('a received text keeps the extension of its name, which has no folders, and browsers save it', async () => {
  for (const [encoding, type] of [
    ['utf8', 'text/csv; charset=utf-8'],
    ['latin1', 'application/octet-stream'],
  ] as const) {
    const data = Buffer.from('a;Ação\n', encoding);
    const fileName = String.raw`C:\x\planilha.csv`;
    const message = await settled(await sendFile({ data, type: 'document', mimeType: 'text/plain', fileName }));
    assert.equal(message['media'].fileName, 'planilha.csv');
    const { headers } = await fetch(message['media'].url);
    assert.equal(headers.get('content-type'), type);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="planilha.csv";/);
  }
});

test('a notification that the network repeats stores one attachment and one file', async () => {
  const before = [(await listStore()).length, await countRecords()];
  await platform.sandbox('PUT', '/sandbox/settings', { duplicates: 3 });
  await settled(await sendFile());
  await waitUntil('the repeated notifications', async () => {
    const { notifications_waiting } = await platform.sandbox('GET', '/sandbox/stats');
    return notifications_waiting === 0;
  });
  await platform.sandbox('PUT', '/sandbox/settings', { duplicates: 0 });
  assert.deepEqual([(await listStore()).length - 1, (await countRecords()) - 1], before);
});

test('a download that fails is tried again, and a file that the network no longer has fails with the reason', async () => {
  await setFaults({ download: [{ kind: 'http_500' }, { kind: 'cut' }, { kind: 'altered' }] });
  const message = await sendFile();
  const ready = await waitUntil('the file after three failures', async () => {
    await endRests();
    const { media } = (await call(200, 'GET', `/v1/messages/${message._id}`)).body;
    return media.size !== null && media;
  });
  assert.equal(ready.error, undefined);
  await forgetFailures();
  await setFaults({ media_address: [{ code: 131052 }] });
  const gone = await settled(await sendFile());
  assert.match(gone.media.error, /131052/);
  const answer = await fetch(gone.media.url);
  assert.equal(answer.status, 410);
  assert.match(((await answer.json()) as Json).detail, /131052/);
  await forgetFailures();
});

for (const kind of ['altered', 'shortened']) {
  test(`a file that always arrives ${kind} is never stored and fails after four tries`, async () => {
    const before = await listStore();
    await setFaults({ download: [{ kind, times: 4 }] });
    const message = await sendFile();
    const failed = await waitUntil('the failure', async () => {
      await endRests();
      const { media } = (await call(200, 'GET', `/v1/messages/${message._id}`)).body;
      return media.error && media;
    });
    assert.match(failed.error, /not the one that the network announced/);
    assert.deepEqual(await listStore(), before);
    await setFaults({ download: [] });
    assert.equal((await settled(await sendFile())).media.error, undefined);
    await forgetFailures();
  });
}

test('a caller that opens the link of a file that has not arrived yet waits and gets the file', async () => {
  await setFaults({ download: [{ kind: 'slow', ms: 1_500 }] });
  const data = makeJpg();
  const message = await sendFile({ data, mimeType: 'image/jpeg' });
  assert.equal(message.media.size, null);
  const answers = await Promise.all([1, 2, 3].map(() => fetch(message.media.url)));
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(data));
  }
});

test('a caller that waits ten seconds for a file in vain gets 503, and only a limited number of callers wait at once', async () => {
  await setFaults({ download: [{ kind: 'hang' }] });
  const { media, _id } = await sendFile();
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 33 }, async () => {
      const { status, headers } = await fetch(media.url);
      return { status, again: headers.get('retry-after'), ms: performance.now() - started };
    }),
  );
  assert.ok(answers.every(({ status, again }) => status === 503 && again === '5'));
  assert.equal(answers.filter(({ ms }) => ms > 9_900).length, 32);
  await database.sql('delete from media_downloads where message_id = $1', [_id]);
});

test('a file that the network could not fetch from the phone of the contact fails at once and gets no record', async () => {
  const before = await countRecords();
  const errors = [{ code: 131052, title: 'Media download error' }];
  const { id } = await platform.receive({ type: 'image', raw: { image: { mime_type: 'image/png' }, errors } });
  const { media, attachment } = await readByExternalId(id);
  assert.match(media.error, /could not fetch the file from the phone/);
  assert.deepEqual([media.url, attachment, await countRecords()], [null, null, before]);
});

test('the revocation of a message and the erasure of a contact remove the received files with their records', async () => {
  const revoked = await settled(await sendFile());
  const erased = await settled(await sendFile());
  await platform.receive({ type: 'revoke', raw: { revoke: { original_message_id: revoked.external_id } } });
  await call(200, 'DELETE', `/v1/contacts/${erased.contact}`);
  for (const { media, attachment } of [revoked, erased]) {
    assert.equal((await fetch(media.url)).status, 404);
    await call(404, 'GET', `/v1/resource/attachments/${attachment}`);
  }
});

test('a received file that the company has sent to another contact stays when its first message is revoked or erased', async () => {
  const revoked = await settled(await sendFile());
  const erased = await settled(await sendFile());
  const { conversation } = await sendFile();
  const sendOn = async ({ attachment }: Json): Promise<Json> => {
    const body = { conversationId: conversation, message: { attachment } };
    return (await call(201, 'POST', '/v1/messages/send-image', { body })).body;
  };
  const sent = [await sendOn(revoked), await sendOn(erased)];
  await platform.receive({ type: 'revoke', raw: { revoke: { original_message_id: revoked.external_id } } });
  await call(200, 'DELETE', `/v1/contacts/${erased.contact}`);
  for (const { status, media } of sent) {
    assert.equal(status, 'SENT');
    assert.equal((await fetch(media.url)).status, 200);
  }
  await call(200, 'DELETE', `/v1/contacts/${sent[0].contact}`);
  for (const { media } of sent) assert.equal((await fetch(media.url)).status, 404);
});

test('an edit changes the caption of a picture and keeps its file', async () => {
  const before = await settled(await sendFile({ text: 'Look' }));
  const edit = { original_message_id: before.external_id, message: { type: 'image', image: { caption: 'Look here' } } };
  await platform.receive({ type: 'edit', raw: { edit } });
  const after = await readByExternalId(before.external_id);
  assert.deepEqual([after.content, after.attachment, after.media], ['Look here', before.attachment, before.media]);
});

test('when a company has used up its quota, a message with a file is stored and its file fails with the reason', async () => {
  const limit = (stored_bytes: number | null): Promise<unknown> =>
    call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: platform.globalKey, body: { limits: { stored_bytes } } });
  await limit(1);
  const before = await listStore();
  const message = await settled(await sendFile({ text: 'Too much' }));
  await limit(null);
  assert.match(message.media.error, /QUOTA_EXCEEDED/);
  assert.equal(message.content, 'Too much');
  assert.deepEqual(await listStore(), before);
});
