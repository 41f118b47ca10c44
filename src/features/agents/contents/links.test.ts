/** What the server of an EXTERNAL agent gets of the files that contacts send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../../test/support/attachments.ts';
import { makePng } from '../../../../test/support/media-samples.ts';
import { sendJson, startModel } from '../../../../test/support/model.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { makeTextPdf } from '../../../../test/support/pdf.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const server = await startModel();
server.answer((_call, response) => sendJson(response, { text: 'Recebido!' }));
const platform = await startPlatform({ env: { AGENT_WAIT: '1s' } });
const { call, database, demo } = platform;
const agent = (
  await call(201, 'POST', '/v1/agents', { body: { name: 'Robô', type: 'EXTERNAL', url: `${server.url}/turn` } })
).body._id;
const setUp = (pdf_local_text_extraction: boolean) =>
  call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent, pdf_local_text_extraction } });

const menu = makeTextPdf([['Bolo de cenoura: 79,90']]);

/** Makes a contact send a file or a text, waits for the turn, and returns it with what the server got. */
async function send({ data, text, from }: { data?: Buffer; text?: string; from: string }): Promise<{
  turn: Json;
  asked: Json;
  message: string;
}> {
  const media = data && { base64: data.toString('base64'), mime_type: 'application/pdf', file_name: 'menu.pdf' };
  const { id } = await platform.receive({ from, ...(media && { type: 'document', media }), ...(text && { text }) });
  const [row] = await database.sql<{ _id: string }>('select _id from messages where external_id = $1', [id]);
  const turn = await waitUntil('the turn of the agent', async () => {
    const { result } = (await call(200, 'GET', '/v1/agents/turns')).body;
    return result.find(({ asked }: Json) => asked === row?._id);
  });
  return { turn, asked: server.calls.at(-1)?.body, message: row?._id ?? '' };
}

test('the server of an agent gets the files of the conversation with links that open them for an hour', async () => {
  await setUp(false);
  const from = makePhoneNumber();
  const { turn, asked, message } = await send({ data: menu, from });
  const { url, expires_at, attachment, ...file } = asked.files[0];
  const about = { file_type: 'DOCUMENT', mimeType: 'application/pdf', fileName: 'menu.pdf', size: menu.length };
  assert.deepEqual([asked.message, asked.files.length, file], ['', 1, { message, ...about, text: null }]);
  const opened = await fetch(url);
  assert.deepEqual([opened.status, Buffer.from(await opened.arrayBuffer())], [200, menu]);
  assert.ok(new URL(url).searchParams.has('signature'));
  const lasting = Date.parse(expires_at) - Date.now();
  assert.ok(lasting > 3_000_000 && lasting <= 3_600_000, `${lasting} ms`);
  const { name: _name, ...read } = turn.files[0];
  assert.deepEqual(read, { message, read_as: 'LINK', characters: 0, pictures: 0, note: null });
  const later = (await send({ text: 'Viu?', from })).asked;
  assert.deepEqual(later.files, []);
  assert.deepEqual(
    later.before.map((line: Json) => [line.from, line.file?.attachment ?? null]),
    [
      ['CONTACT', attachment],
      ['COMPANY', null],
    ],
  );
});

test('with pdf_local_text_extraction the server gets the text of a PDF as well, and a note is kept of one without', async () => {
  await setUp(true);
  const { turn, asked } = await send({ data: menu, from: makePhoneNumber() });
  assert.deepEqual([asked.files[0].text, turn.files[0].read_as], ['Bolo de cenoura: 79,90', 'TEXT']);
  const scanned = await send({ data: makeTextPdf([[]]), from: makePhoneNumber() });
  const [{ read_as, note }] = scanned.turn.files;
  assert.deepEqual([scanned.asked.files[0].text, read_as, note], [null, 'LINK', 'the file has no text']);
});

test('a try sends the server links to uploaded files', async () => {
  const { _id } = await uploadFile(platform, { data: makePng(), name: 'cake.png' });
  const body = { message: 'Que bolo é?', attachments: [_id] };
  const { body: trial } = await call(200, 'POST', `/v1/agents/${agent}/try`, { body });
  const file = server.calls.at(-1)?.body.files[0];
  assert.deepEqual([file.message, file.attachment, file.file_type], [null, _id, 'IMAGE']);
  assert.deepEqual([trial.answer, trial.files[0].read_as], ['Recebido!', 'LINK']);
  assert.equal((await fetch(file.url)).status, 200);
});
