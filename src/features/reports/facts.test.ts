/** Which facts the changes of conversations and the turns of AI agents write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertConversations, insertInbox } from '../../../test/support/conversation-runs.ts';
import { startPlatform, type Company, type Json } from '../../../test/support/platform.ts';
import { silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const read = async (path: string, key = demo.key): Promise<Json> =>
  (await call(200, 'GET', `/v1/reports/${path}`, { key })).body;
/** Lets all facts be counted, so that what follows reads counters only. */
const settle = (): Promise<unknown> =>
  waitUntil('all facts to be counted', async () => (await database.sql('select from report_facts')).length === 0);
const set = (id: string, values: string): Promise<unknown> =>
  database.sql(`update conversations set ${values} where _id = $1`, [id]);
async function startCompany(): Promise<{ company: Company; inbox: string }> {
  const company = await platform.createCompany();
  return { company, inbox: await insertInbox(platform, company._id) };
}
async function startAgent(): Promise<{ agent: string; answer(cost?: number): Promise<string>; conversation: string }> {
  const { body: agent } = await call(201, 'POST', '/v1/agents', { body: { name: 'Aurora', type: 'AI' } });
  const { conversation, message } = await writeAsContact(platform);
  const answer = async (cost?: number): Promise<string> => {
    const [turn] = await database.sql<{ _id: string }>(
      `insert into agent_turns (company_id, _id, agent_id, conversation_id, asked_id, outcome, passages, latency_ms, cost)
        values ($1, new_id(), $2, $3, $4, 'ANSWERED', '[]', 1, $5) returning _id`,
      [
        demo._id,
        agent._id,
        conversation._id,
        message._id,
        cost === undefined ? null : JSON.stringify({ amount: cost, currency: 'BRL' }),
      ],
    );
    return turn!._id;
  };
  return { agent: agent._id, answer, conversation: conversation._id };
}
const refuse = (turn: string): Promise<unknown> =>
  database.sql(`update agent_turns set outcome = 'HANDED_OVER' where _id = $1`, [turn]);

test('a reply counts as the first one again after the conversation was reopened, and a test conversation counts nowhere', async () => {
  const { company, inbox } = await startCompany();
  const [first = '', tried = ''] = await insertConversations(platform, { company: company._id, inbox }, 2);
  await set(tried, 'is_test = true');
  const before = (await read('summary', company.key)).figures;
  for (const id of [first, tried]) {
    for (const isReopened of [false, true]) {
      if (isReopened) {
        await set(id, `status = 'CLOSED'`);
        await set(id, `status = 'OPEN'`);
      }
      for (let n = 0; n < 2; n += 1) {
        await set(id, 'waiting_since = now()');
        await set(id, 'waiting_since = null');
      }
    }
  }
  const { figures } = await read('summary', company.key);
  assert.deepEqual(
    [figures.first_response.count, figures.reply_time.count, figures.resolution.count, figures.reopened],
    [2, 4, 1, 1],
  );
  assert.equal(figures.opened, before.opened);
});

test('a reply counts also when the contact writes again in the same batch, and an earlier beginning of a wait is no reply', async () => {
  const { company, inbox } = await startCompany();
  const [id = ''] = await insertConversations(platform, { company: company._id, inbox }, 1);
  for (const minute of ['10:00', '09:58', '10:03', '10:04'])
    await set(id, `waiting_since = '2026-01-01T${minute}:00Z'`);
  const { figures } = await read('summary', company.key);
  assert.deepEqual(
    [
      figures.first_response.count,
      figures.first_response.average,
      figures.reply_time.count,
      figures.reply_time.average,
    ],
    [1, 300, 2, 180],
  );
});

test('a turn of an AI agent counts as an answer or a hand-over with its cost, also when the network refuses it later', async () => {
  const { agent, answer } = await startAgent();
  await answer(0.000125);
  await answer(2);
  await refuse(await answer());
  await settle();
  const { rows } = await read('breakdown?by=AGENT');
  const { figures } = rows.find(({ id }: Json) => id === agent);
  assert.deepEqual(
    [figures.answered, figures.handed_over, figures.costs],
    [2, 1, [{ currency: 'BRL', amount: 2.000125 }]],
  );
  assert.deepEqual((await read(`summary?agent=${agent}`)).figures, figures);
});

test('a refused answer is taken back from the agent, and from no team or tag that the conversation was given since', async () => {
  const { agent, answer, conversation } = await startAgent();
  const { body: team } = await call(201, 'POST', '/v1/teams', { body: { name: 'Orders' } });
  const before = (await read('summary')).figures.answered;
  const turn = await answer();
  await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { team: team._id, tags: ['given'] } });
  await refuse(turn);
  const find = async (filter: string): Promise<number[]> => {
    const { figures } = await read(`summary?${filter}`);
    return [figures.answered, figures.handed_over];
  };
  assert.deepEqual(await find(`agent=${agent}`), [0, 1]);
  assert.deepEqual(await find(`team=${team._id}`), [0, 1]);
  assert.deepEqual(await find('tag=given'), [0, 1]);
  assert.equal((await read('summary')).figures.answered, before);
});
