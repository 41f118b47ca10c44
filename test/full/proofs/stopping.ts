/**
 * Sends SIGTERM under load: callbacks, reads, slow sends and deliveries are under way. Requests that began
 * before the signal are answered, the outcomes of delivery attempts are stored, and the process ends in order.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { makePoolSetting } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { createNetwork, buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver } from '../harness/receiver.ts';
import { call, createWebhook, withStage, createInbox, type Stage, type Tenant } from '../harness/stage.ts';

export interface StoppingSize {
  rounds: number;
  /** Whether the time of a stop is judged, which takes a machine of its own. */
  judgesPace: boolean;
  seed: number;
}

export interface StoppingResult {
  rounds: number;
  asked: number;
  answered: number;
  refusedAfter: number;
  slowestStopMs: number;
}

const PHONE = '100000000000500';
const SEND_MS = 1_000;
const ANSWER_MS = 400;
const SENDS = 4;
const READERS = 4;
// The longest stop of a process: a delivery attempt lasts 10 s at most.
const STOP_MS = 11_000;

interface StoppingRun {
  stage: Stage;
  process: PlatformProcess;
  tenant: Tenant;
  network: SimulatedNetwork;
  chance: Chance;
  conversation: string;
  judgesPace: boolean;
  account: StoppingResult;
}

export async function proveStopping({ rounds, judgesPace, seed }: StoppingSize): Promise<StoppingResult> {
  return withStage({}, async (stage) => {
    const receiver = await startReceiver(() => ({ status: 200, afterMs: ANSWER_MS }));
    const network = createNetwork(stage.appSecret);
    try {
      // With fewer connections a caller on a busy machine might get 503, which would prove nothing.
      const process = await stage.start('all', makePoolSetting(SENDS + READERS + 1));
      const tenant = await stage.createTenant('Company');
      await createInbox(process, tenant, PHONE);
      await createWebhook(process, tenant, receiver.url, ['MESSAGE_RECEIVED', 'MESSAGE_SENT']);
      const hello = buildNotification([buildTextElement(PHONE, '5511983000001', 'wamid.hello', 'Hello')]);
      await network.postUntilHeard(process.url, hello);
      const [row] = await stage.store.sql<{ _id: string }>('select _id from conversations');
      const faults = { send: [{ kind: 'slow', ms: SEND_MS, times: null }] };
      await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: { faults } });
      const account = { rounds, asked: 0, answered: 0, refusedAfter: 0, slowestStopMs: 0 };
      const chance = createChance(seed);
      const conversation = row?._id ?? '';
      const play: StoppingRun = { stage, process, tenant, network, chance, conversation, judgesPace, account };
      for (let round = 0; round < rounds; round += 1) {
        if (round > 0) await process.restart();
        await stopUnderLoad(play, round);
      }
      return account;
    } finally {
      await network.close();
      await receiver.close();
    }
  });
}

interface RunningLoad {
  /** True once SIGTERM is sent: requests that begin later may be refused. */
  signalled: boolean;
  ended: boolean;
}

async function stopUnderLoad(play: StoppingRun, round: number): Promise<void> {
  const { stage, process, chance, account } = play;
  const load: RunningLoad = { signalled: false, ended: false };
  const running = Promise.all([
    ...Array.from({ length: SENDS }, (_, n) =>
      countRequest(play, load, (note) => sendMessage(play, `Round ${round}, ${n}`, note)),
    ),
    ...Array.from({ length: READERS }, () => readRepeatedly(play, load)),
    postRepeatedly(play, load, round),
  ]);
  // A failure of the load is reported at the end of the round, and not during the stop.
  running.catch(() => undefined);
  await waitUntil('a delivery attempt to be under way', async () => {
    const [row] = await stage.store.sql('select 1 from delivery_attempts limit 1');
    return row !== undefined;
  });
  await sleep(chance.int(500));
  load.signalled = true;
  const { code, ms } = await process.terminate();
  load.ended = true;
  await running;
  assert.equal(code, 0, `it ended with ${code}: ${process.lines().join('\n')}`);
  if (play.judgesPace) assert.ok(ms <= STOP_MS, `it took ${Math.round(ms)} ms to end`);
  account.slowestStopMs = Math.max(account.slowestStopMs, Math.round(ms));
  const left = await stage.store.sql(
    `select delivery_id as _id, 'SENDING' as status from delivery_attempts
      union all select _id, status from deliveries where status = 'UNKNOWN'
      union all select _id, status from messages where status = 'QUEUED' and message_type = 'OUTGOING'`,
  );
  assert.deepEqual(left, [], 'a delivery or a message has no outcome');
}

/**
 * Counts one request; only a request that began after the signal may stay without an answer. `make` calls its argument when the connection
 * is open, because the request begins then: a busy machine may need seconds to open one.
 */
async function countRequest(
  play: StoppingRun,
  load: RunningLoad,
  make: (noteBegin: () => void) => Promise<number | null>,
): Promise<number | null> {
  const { account } = play;
  let before = false;
  const status = await make(() => (before = !load.signalled));
  if (before) account.asked += 1;
  if (before && status !== null && status < 300) account.answered += 1;
  else if (before) assert.fail(`a request that began before the signal was answered ${status}`);
  else if (status === null || status === 503) account.refusedAfter += 1;
  return status;
}

const createSingleUseAgent = (noteBegin: () => void): Agent =>
  new Agent({ pipelining: 0, keepAliveTimeout: 1 }).on('connect', noteBegin);

/** Reads on a new connection: a failure on an idle connection that closes at the same moment would prove nothing. */
async function readWebhook({ process, tenant }: StoppingRun, noteBegin: () => void): Promise<number | null> {
  const agent = createSingleUseAgent(noteBegin);
  try {
    const answer = await request(`${process.url}/v1/webhooks`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    // Failure policy: there was no answer; the caller decides whether one was required.
    return null;
  } finally {
    await agent.close();
  }
}

async function readRepeatedly(play: StoppingRun, load: RunningLoad): Promise<void> {
  while (!load.ended) {
    await countRequest(play, load, (note) => readWebhook(play, note));
    await sleep(5);
  }
}

async function postRepeatedly(play: StoppingRun, load: RunningLoad, round: number): Promise<void> {
  for (let number = 0; !load.ended; number += 1) {
    const body = buildNotification([buildTextElement(PHONE, '5511983000001', `wamid.${round}.${number}`, 'Load')]);
    // The connections stay open, as a real network's do: the platform may close them only while they are idle.
    const post = (noteBegin: () => void): Promise<number | null> => {
      noteBegin();
      return play.network.post(play.process.url, body);
    };
    if (!load.signalled) await countRequest(play, load, post);
    await sleep(20);
  }
}

async function sendMessage(
  { process, tenant, conversation }: StoppingRun,
  content: string,
  noteBegin: () => void,
): Promise<number | null> {
  const agent = createSingleUseAgent(noteBegin);
  try {
    const answer = await request(`${process.url}/v1/messages/send-text`, {
      method: 'POST',
      dispatcher: agent,
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ conversationId: conversation, message: { content, contentType: 'TEXT' } }),
    });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    // Failure policy: there was no answer; the caller decides whether one was required.
    return null;
  } finally {
    await agent.close();
  }
}
