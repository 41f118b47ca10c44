/** What the model of an agent gets of the files that contacts send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { makeMp3 } from '../../../../test/support/media-samples.ts';
import { say, sendJson, startModel, type ModelCall } from '../../../../test/support/model.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { makeTextPdf } from '../../../../test/support/pdf.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const model = await startModel();
const platform = await startPlatform({ env: { AGENT_WAIT: '1s', AI_BASE_URL: model.url, AI_MODEL: 'small' } });
const { call, database, demo } = platform;

const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const createAgent = async (body: Json = {}): Promise<string> =>
  (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI', ...body } })).body._id;
const setUp = (default_agent: string, pdf_local_text_extraction = false) =>
  call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent, pdf_local_text_extraction } });
const blind = await createAgent();
const seeing = await createAgent({ vision: true });
const listening = await createAgent({
  transcription_model: 'ears',
  handoff: { enabled: true, keywords: ['atendente'], max_turns: 20 },
});
const content = 'Entregamos bolos em toda a cidade.';
const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Padaria', content } })).body._id;
await waitUntil('the item to be prepared', async () => (await read(`/v1/knowledge/${item}`)).status === 'READY');

const PDF = { type: 'document', mime_type: 'application/pdf', file_name: 'menu.pdf' };
const PICTURE = { type: 'image', mime_type: 'image/png' };
const VOICE = { type: 'audio', mime_type: 'audio/mpeg' };

interface Sent {
  data?: Buffer;
  file?: { type: string; mime_type: string; file_name?: string };
  text?: string;
  from?: string;
}

/** Makes a contact send a file or a text, waits for the turn, and returns it with the last call of the model. */
async function send({ data, file = PDF, text, from = makePhoneNumber() }: Sent): Promise<{ turn: Json; asked: Json }> {
  const { type, ...rest } = file;
  const media = data && { type, media: { base64: data.toString('base64'), ...rest } };
  const { id } = await platform.receive({ from, ...media, ...(text && { text }) });
  const [row] = await database.sql<{ _id: string; conversation: string }>(
    'select _id, conversation_id as conversation from messages where external_id = $1',
    [id],
  );
  const turn = await waitUntil('the turn of the agent', async () => {
    const { result } = await read(`/v1/agents/turns?conversation=${row?.conversation}`);
    return result.find(({ asked }: Json) => asked === row?._id);
  });
  return { turn, asked: chats().at(-1)?.body.messages };
}
const chats = (): ModelCall[] => model.calls.filter(({ path }) => path === '/chat/completions');
const hearings = (): ModelCall[] => model.calls.filter(({ path }) => path === '/audio/transcriptions');
const describe = ([file]: Json): Json => [file.read_as, file.characters, file.pictures, file.note];
/** Decodes the pictures of a message. */
const listPictures = (message: Json): Promise<{ format: string; width: number; height: number }[]> =>
  Promise.all(
    message.content.slice(1).map(async ({ type, image_url }: Json) => {
      assert.equal(type, 'image_url');
      const [head, base64] = image_url.url.split(',');
      assert.equal(head, 'data:image/jpeg;base64');
      const { format, width, height } = await sharp(Buffer.from(base64, 'base64')).metadata();
      return { format, width, height };
    }),
  );

test('with pdf_local_text_extraction a model that sees gets the text of a PDF instead of its pages', async () => {
  await setUp(seeing, true);
  const { turn, asked } = await send({ data: makeTextPdf([['Bolo de cenoura: 79,90'], ['Pastel: 12,00']]) });
  assert.equal(turn.outcome, 'ANSWERED');
  assert.deepEqual(asked.at(-1), {
    role: 'user',
    content: `[The contact sent the file "menu.pdf". Its text, as JSON:]\n${JSON.stringify('Bolo de cenoura: 79,90\n\nPastel: 12,00')}`,
  });
  assert.equal(turn.files[0].name, 'menu.pdf');
  assert.deepEqual(describe(turn.files), ['TEXT', 37, 0, null]);
  const kept = 'select content, is_cut, model from agent_file_texts';
  assert.deepEqual(await database.sql(kept), [
    { content: 'Bolo de cenoura: 79,90\n\nPastel: 12,00', is_cut: false, model: null },
  ]);
});

test('a PDF without text is shown to a model that sees, although its text is wanted', async () => {
  await setUp(seeing, true);
  const from = makePhoneNumber();
  await send({ data: makeTextPdf([[]]), from });
  const { turn, asked } = await send({ text: 'Viu?', from });
  assert.deepEqual(describe(turn.files), ['PICTURES', 0, 1, null]);
  assert.equal((await listPictures(asked.at(-3))).length, 1);
});

test('without pdf_local_text_extraction a model that sees gets the first pages of a PDF as pictures', async () => {
  await setUp(seeing);
  const pages = Array.from({ length: 6 }, (_, page) => [`Página ${page}`]);
  const { turn, asked } = await send({ data: makeTextPdf(pages), text: 'Quanto custa?' });
  assert.deepEqual(describe(turn.files), ['PICTURES', 0, 4, '4 of 6 pages were read']);
  assert.equal(
    asked.at(-1).content[0].text,
    'Quanto custa?\n\n[The contact sent the file "menu.pdf", which follows as 4 pictures.]',
  );
  const page = { format: 'jpeg', width: 1085, height: 1536 };
  assert.deepEqual(await listPictures(asked.at(-1)), [page, page, page, page]);
});

test('a model that does not see gets the text of a PDF, and only the beginning of a long one', async () => {
  await setUp(blind);
  const pages = Array.from({ length: 60 }, () => Array<string>(40).fill('Bolo de cenoura com cobertura'));
  const { turn, asked } = await send({ data: makeTextPdf(pages) });
  assert.deepEqual([turn.files[0].read_as, turn.files[0].note], ['TEXT', 'only the beginning was read']);
  assert.ok(turn.files[0].characters > 39_900 && turn.files[0].characters <= 40_000);
  assert.equal(typeof asked.at(-1).content, 'string');
});

test('pictures of each format reach a model that sees, and are known to later questions', async () => {
  await setUp(seeing);
  const from = makePhoneNumber();
  const drawing = sharp({ create: { width: 2_000, height: 1_000, channels: 4, background: '#ff000080' } });
  for (const [format, width] of [
    ['png', 1536],
    ['jpeg', 1536],
    ['webp', 1536],
    ['gif', 1536],
  ] as const) {
    const data = await drawing.clone()[format]().toBuffer();
    const { turn, asked } = await send({ data, file: { ...PICTURE, mime_type: `image/${format}` } });
    assert.deepEqual(describe(turn.files), ['PICTURES', 0, 1, null], format);
    assert.deepEqual(await listPictures(asked.at(-1)), [{ format: 'jpeg', width, height: width / 2 }]);
  }
  await send({ data: await drawing.clone().png().toBuffer(), file: PICTURE, from });
  const { turn, asked } = await send({ from, text: 'Que cor é?' });
  assert.deepEqual(describe(turn.files), ['PICTURES', 0, 1, null]);
  assert.equal((await listPictures(asked.at(-3))).length, 1);
  assert.deepEqual(asked.at(-1), { role: 'user', content: 'Que cor é?' });
});

test('a file that cannot be read leaves a note, and is answered', async () => {
  const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  for (const [agent, sent, note] of [
    [seeing, { data: Buffer.from('%PDF-1.4\n%%EOF\n') }, 'the file is not a readable PDF'],
    [seeing, { data: picture.subarray(0, 60), file: PICTURE }, 'the file is a broken picture'],
    [blind, { data: picture, file: PICTURE }, 'the model of the agent has no vision'],
    [blind, { data: makeMp3(), file: VOICE }, 'the agent has no transcription model'],
  ] as const) {
    await setUp(agent);
    const { turn, asked } = await send(sent);
    assert.deepEqual([turn.outcome, ...describe(turn.files)], ['ANSWERED', 'NOTHING', 0, 0, note]);
    assert.match(asked.at(-1).content, /^\[The contact sent the file ".*", which you cannot read\.\]$/);
  }
});

test('what is said in a voice note is written down once, and answered like a text', async () => {
  await setUp(listening);
  const from = makePhoneNumber();
  model.answer(({ path }, response) =>
    sendJson(response, path === '/audio/transcriptions' ? { text: 'Vocês entregam bolo?' } : say('Sim!')),
  );
  const { turn, asked } = await send({ data: makeMp3(), file: VOICE, from });
  const [hearing] = hearings();
  assert.deepEqual([hearing?.body.model, hearing?.body.response_format], ['ears', 'json']);
  assert.deepEqual(Buffer.from(await hearing?.body.file.arrayBuffer()), makeMp3());
  assert.match(hearing?.body.file.name, /\.mp3$/);
  assert.deepEqual(asked.at(-1), { role: 'user', content: 'Vocês entregam bolo?' });
  assert.equal(turn.passages[0].item, item);
  assert.deepEqual(describe(turn.files), ['TRANSCRIPT', 20, 0, null]);
  const later = await send({ from, text: 'E no sábado?' });
  assert.equal(later.asked.at(-3).content, '[AUDIO]\n\nVocês entregam bolo?');
  assert.equal(hearings().length, 1);
});

test('a contact who asks for a person in a voice note gets one', async () => {
  await setUp(listening);
  model.answer((_call, response) => sendJson(response, { text: 'Quero falar com um atendente.' }));
  const { turn } = await send({ data: makeMp3(), file: VOICE });
  assert.deepEqual([turn.outcome, turn.reason], ['HANDED_OVER', 'KEYWORD']);
});

test('a transcription that fails, redirects, or is no answer is tried once, and the turn is answered', async () => {
  await setUp(listening);
  for (const [status, body] of [
    [500, {}],
    [302, {}],
    [200, { words: [] }],
    [200, { text: 'x'.repeat(200_000) }],
  ] as const) {
    model.answer(({ path }, response) =>
      path === '/audio/transcriptions' ? sendJson(response, body, status) : sendJson(response, say('Oi!')),
    );
    const before = hearings().length;
    const { turn } = await send({ data: makeMp3(), file: VOICE });
    assert.deepEqual([turn.outcome, turn.files[0].read_as], ['ANSWERED', 'NOTHING']);
    assert.match(turn.files[0].note, /transcription model/);
    assert.equal(hearings().length, before + 1);
  }
});
