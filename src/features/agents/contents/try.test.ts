/** Files in a try of an agent, and what the voice notes of a turn cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../../test/support/attachments.ts';
import { makeMp3, makePng } from '../../../../test/support/media-samples.ts';
import { say, sendJson, startModel } from '../../../../test/support/model.ts';
import { makeTextPdf } from '../../../../test/support/pdf.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { newId } from '../../../platform/values/ids.ts';

const model = await startModel();
const platform = await startPlatform({ env: { AI_BASE_URL: model.url, AI_MODEL: 'small' } });
const { call } = platform;

const createAgent = async (body: Json = {}): Promise<string> =>
  (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI', ...body } })).body._id;
const tryAgent = async (agent: string, body: Json): Promise<Json> =>
  (await call(200, 'POST', `/v1/agents/${agent}/try`, { body })).body;
const readFile = ({ files }: Json): Json => files.map(({ name: _name, ...file }: Json) => file);
const readAsked = (): Json => model.calls.findLast(({ path }) => path === '/chat/completions')?.body.messages.at(-1);
const hear = (text: string): void =>
  model.answer(({ path }, response) => sendJson(response, path === '/audio/transcriptions' ? { text } : say('Sim!')));

const pdf = await uploadFile(platform, { data: makeTextPdf([['Bolo de cenoura: 79,90']]), name: 'menu.pdf' });

test('a try reads uploaded files as those of a conversation: the text of documents, pictures, and the pages of a PDF', async () => {
  const picture = await uploadFile(platform, { data: makePng() });
  const attachments = [pdf._id, picture._id];
  const read = { message: null, characters: 0, pictures: 0, note: null };
  const blind = await tryAgent(await createAgent(), { message: 'Quanto custa?', attachments });
  assert.equal(blind.outcome, 'ANSWERED');
  assert.deepEqual(readFile(blind), [
    { ...read, read_as: 'NOTHING', note: 'the model of the agent has no vision' },
    { ...read, read_as: 'TEXT', characters: 22 },
  ]);
  assert.match(readAsked().content, /^Quanto custa\?[^]*"Bolo de cenoura: 79,90"[^]*which you cannot read/);
  const seeing = await tryAgent(await createAgent({ vision: true }), { attachments });
  assert.deepEqual(readFile(seeing), [
    { ...read, read_as: 'PICTURES', pictures: 1 },
    { ...read, read_as: 'PICTURES', pictures: 1 },
  ]);
  assert.deepEqual(
    readAsked().content.map(({ type }: Json) => type),
    ['text', 'image_url', 'image_url'],
  );
});

test('a voice note of a try is written down and counts like what is written', async () => {
  const listening = await createAgent({
    transcription_model: 'ears',
    handoff: { enabled: true, keywords: ['atendente'], max_turns: 20 },
  });
  hear('Vocês entregam?');
  const heard = await uploadFile(platform, { data: makeMp3() });
  const [file] = (await tryAgent(listening, { attachments: [heard._id] })).files;
  assert.deepEqual([file.read_as, readAsked().content], ['TRANSCRIPT', 'Vocês entregam?']);
  hear('Quero um atendente.');
  const asking = await uploadFile(platform, { data: makeMp3() });
  const { outcome, reason } = await tryAgent(listening, { attachments: [asking._id] });
  assert.deepEqual([outcome, reason], ['HANDED_OVER', 'KEYWORD']);
});

test('after a change of the transcription model a voice note is transcribed again, and otherwise once', async () => {
  const agent = await createAgent({ transcription_model: 'ears' });
  const heard = await uploadFile(platform, { data: makeMp3() });
  const tryAs = async (transcription_model: string, said: string): Promise<string> => {
    await call(200, 'PATCH', `/v1/agents/${agent}`, { body: { transcription_model } });
    hear(said);
    await tryAgent(agent, { attachments: [heard._id] });
    return readAsked().content;
  };
  assert.equal(await tryAs('ears', 'Vocês entregam?'), 'Vocês entregam?');
  assert.equal(await tryAs('better-ears', 'Vocês entregam hoje?'), 'Vocês entregam hoje?');
  assert.equal(await tryAs('better-ears', 'Nobody says this.'), 'Vocês entregam hoje?');
});

test('two agents with different transcription models that read one voice note in turn have each model transcribe it once', async () => {
  const agents = [
    await createAgent({ transcription_model: 'ears' }),
    await createAgent({ transcription_model: 'better-ears' }),
  ];
  const heard = await uploadFile(platform, { data: makeMp3() });
  const listened: string[] = [];
  model.answer(({ path, body }, response) => {
    if (path !== '/audio/transcriptions') return sendJson(response, say('Sim!'));
    listened.push(body.model);
    sendJson(response, { text: `What ${body.model} heard` });
  });
  const read: string[] = [];
  for (const agent of [...agents, ...agents]) {
    await tryAgent(agent, { attachments: [heard._id] });
    read.push(readAsked().content);
  }
  assert.deepEqual(listened, ['ears', 'better-ears']);
  assert.deepEqual(read, ['What ears heard', 'What better-ears heard', 'What ears heard', 'What better-ears heard']);
});

test("an unknown file and another company's are refused alike, and so is a try without text and file", async () => {
  const agent = await createAgent();
  const other = await platform.createCompany();
  const foreign = await uploadFile(platform, { data: makePng() }, other.key);
  const path = `/v1/agents/${agent}/try`;
  const before = model.calls.length;
  for (const id of [newId(), foreign._id]) {
    const body = { message: 'Oi', attachments: [pdf._id, id] };
    expectProblem(await call(400, 'POST', path, { body }), 'UNKNOWN_REFERENCE', 'attachments[1]');
  }
  for (const body of [{}, { attachments: [] }])
    expectProblem(await call(400, 'POST', path, { body }), 'VALIDATION_FAILED', 'message');
  expectProblem(
    await call(400, 'POST', path, { body: { message: 'Oi', attachments: ['x'] } }),
    'VALIDATION_FAILED',
    'attachments[0]',
  );
  assert.equal(model.calls.length, before);
});

test('the cost of an answer counts each voice note once, by the minute, also where a person takes over', async () => {
  const prices = { currency: 'USD', input: 1, output: 10, transcription: 6 };
  const keywords = ['atendente'];
  const agent = await createAgent({
    transcription_model: 'ears',
    prices,
    handoff: { enabled: true, keywords, max_turns: 20 },
  });
  hear('Vocês entregam?');
  const voice = await uploadFile(platform, { data: makeMp3() });
  const minutes = voice.meta.duration / 60;
  const round = (amount: number): number => Number(amount.toFixed(8));
  const tokens = (120 * 1 + 8 * 10) / 1_000_000;
  assert.ok(minutes > 0);
  const ask = async (): Promise<number> => (await tryAgent(agent, { attachments: [voice._id] })).cost.amount;
  assert.equal(await ask(), round(tokens + 6 * minutes));
  // What was said is known now.
  assert.equal(await ask(), round(tokens));
  hear('Um atendente, por favor.');
  const asking = await uploadFile(platform, { data: makeMp3() });
  const { reason, cost } = await tryAgent(agent, { attachments: [asking._id] });
  assert.deepEqual([reason, cost], ['KEYWORD', { amount: round(6 * minutes), currency: 'USD' }]);
  await call(200, 'PATCH', `/v1/agents/${agent}`, { body: { prices: { currency: 'USD', input: 1, output: 10 } } });
  const { body } = await call(200, 'GET', `/v1/agents/${agent}`);
  assert.deepEqual(body.prices, { currency: 'USD', input: 1, output: 10, transcription: null });
  hear('Vocês entregam bolo?');
  const uncounted = await uploadFile(platform, { data: makeMp3() });
  assert.equal((await tryAgent(agent, { attachments: [uncounted._id] })).cost.amount, round(tokens));
});
