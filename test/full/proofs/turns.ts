/**
 * Lets agents answer while their worker is killed in the middle of turns. The network's list of messages shows how many answers each
 * contact got: one at most, and none only where a person has taken over.
 */
import assert from 'node:assert/strict';
import { openModel, say, sendJson } from '../../support/model.ts';
import { waitUntil } from '../../support/wait.ts';
import { countAccepted } from '../harness/accepted.ts';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { buildNotification, buildTextElement, createNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, createInbox, withStage, type Stage } from '../harness/stage.ts';

export interface TurnsSize {
  contacts: number;
  kills: number;
  seed: number;
}

export interface TurnsFigures {
  contacts: number;
  answered: number;
  handedOver: number;
  modelCalls: number;
  kills: number;
}

const PHONE = '100000000000241';
const FIRST_NUMBER = 62_000_000;
// The slowest answer of the model, and how long the network takes for a message.
const MODEL_MS = 500;
const SEND_MS = 100;
const RUN_MS = 600_000;

export async function proveTurns(size: TurnsSize): Promise<TurnsFigures> {
  return withStage({}, async (stage) => {
    const chance = createChance(size.seed);
    let modelCalls = 0;
    const model = await openModel((_call, response) => {
      modelCalls += 1;
      setTimeout(() => sendJson(response, say('We open at nine.')), chance.int(MODEL_MS));
    });
    try {
      const env = { AI_BASE_URL: model.url, AI_MODEL: 'small', AGENT_WAIT: '1s' };
      const api = await stage.start('api', env);
      const worker = await stage.start('worker', env);
      await createAgent(stage, api);
      await writeAll(stage, api, size.contacts);
      let met = 0;
      for (let kill = 1; kill <= size.kills; kill += 1) {
        const wanted = Math.floor((kill / (size.kills + 1)) * size.contacts);
        await waitUntil('answers to arrive', async () => (await countSends(stage)) >= wanted, RUN_MS);
        met += await killWorker(stage, worker, chance);
      }
      assertWorkWasInterrupted('a turn', { blows: size.kills, met });
      await waitUntil('all turns to end', () => areAllTurnsOver(stage), RUN_MS);
      return { ...(await audit(stage, size)), modelCalls, kills: size.kills };
    } finally {
      model.close();
    }
  });
}

async function createAgent(stage: Stage, api: PlatformProcess): Promise<void> {
  const tenant = await stage.createTenant('Bakery');
  const inbox = await createInbox(api, tenant, PHONE);
  await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, {
    body: { faults: { send: [{ kind: 'slow', ms: SEND_MS, times: null }] } },
  });
  const body = { name: 'Ana', type: 'AI' };
  const agent = await call(201, 'POST', `${api.url}/v1/agents`, { key: tenant.key, body });
  await call(200, 'PUT', `${api.url}/v1/inboxes/${inbox}`, { key: tenant.key, body: { default_agent: agent._id } });
}

async function writeAll(stage: Stage, { url }: PlatformProcess, contacts: number): Promise<void> {
  const network = createNetwork(stage.appSecret);
  try {
    for (let first = 0; first < contacts; first += 50) {
      const elements = Array.from({ length: Math.min(50, contacts - first) }, (_, n) =>
        buildTextElement(PHONE, makeNumber(first + n), `wamid.T${first + n}`, 'When do you open?'),
      );
      await network.postUntilHeard(url, buildNotification(elements));
    }
  } finally {
    await network.close();
  }
}

const makeNumber = (contact: number): string => `55119${FIRST_NUMBER + contact}`;

const countSends = async ({ sandboxUrl }: Stage): Promise<number> =>
  (await call(200, 'GET', `${sandboxUrl}/sandbox/stats`)).sends as number;

/** Kills the worker at a random moment. Returns how many turns it was working on: their holds end at once, because nobody else has any. */
async function killWorker({ store }: Stage, worker: PlatformProcess, chance: Chance): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, chance.int(MODEL_MS)));
  await worker.kill();
  const held = await store.sql(
    `with turns as (update pending_turns set held_until = now() where claimed_at is not null returning 1),
      answers as (update agent_turns set settle_until = now() where settle_until is not null returning 1)
      select * from turns union all select * from answers`,
  );
  await worker.restart();
  return held.length;
}

async function areAllTurnsOver({ store }: Stage): Promise<boolean> {
  const left = `select 1 from pending_turns union all select 1 from agent_turns where settle_until is not null limit 1`;
  return (await store.sql(left)).length === 0;
}

async function audit(
  stage: Stage,
  { contacts }: TurnsSize,
): Promise<Pick<TurnsFigures, 'contacts' | 'answered' | 'handedOver'>> {
  const accepted = await countAccepted(stage);
  const states = await stage.store.sql<{ phone: string; handled_by: string }>(
    `select substr(c.phone_number, 2) as phone, v.handled_by from conversations v join contacts c on c._id = v.contact_id`,
  );
  assert.equal(states.length, contacts, 'each contact has one conversation');
  for (const { phone, handled_by } of states) {
    const answers = accepted.get(phone) ?? 0;
    assert.ok(answers <= 1, `${phone} got ${answers} answers`);
    assert.ok(answers === 1 || handled_by === 'HUMAN', `${phone} got no answer and no person`);
  }
  const handedOver = states.filter(({ handled_by }) => handled_by === 'HUMAN').length;
  return { contacts, answered: accepted.size, handedOver };
}
