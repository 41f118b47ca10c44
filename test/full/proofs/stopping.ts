/**
 * Sends SIGTERM under load: callbacks, reads, slow sends and deliveries are under way. Requests that began
 * before the signal are answered, the outcomes of delivery attempts are stored, and the process ends in order.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { until } from '../../support/wait.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { createNetwork, buildNotification, textElement, type Network } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver } from '../harness/receiver.ts';
import { call, listen, onStage, openInbox, type Stage, type Tenant } from '../harness/stage.ts';

export interface StoppingSize {
  rounds: number;
  seed: number;
}

export interface StoppingAccount {
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

interface Play {
  stage: Stage;
  process: PlatformProcess;
  tenant: Tenant;
  network: Network;
  chance: Chance;
  conversation: string;
  account: StoppingAccount;
}

export async function proveStopping({ rounds, seed }: StoppingSize): Promise<StoppingAccount> {
  return onStage({}, async (stage) => {
    const receiver = await startReceiver(() => ({ status: 200, afterMs: ANSWER_MS }));
    const network = createNetwork(stage.appSecret);
    try {
      const process = await stage.start('all');
      const tenant = await stage.createTenant('Company');
      await openInbox(process, tenant, PHONE);
      await listen(process, tenant, receiver.url, ['MESSAGE_RECEIVED', 'MESSAGE_SENT']);
      const hello = buildNotification([textElement(PHONE, '5511983000001', 'wamid.hello', 'Hello')]);
      await network.postUntilHeard(process.url, hello);
      const [row] = await stage.store.sql<{ _id: string }>('select _id from conversations');
      const faults = { send: [{ kind: 'slow', ms: SEND_MS, times: null }] };
      await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: { faults } });
      const account = { rounds, asked: 0, answered: 0, refusedAfter: 0, slowestStopMs: 0 };
      const chance = createChance(seed);
      const play: Play = { stage, process, tenant, network, chance, conversation: row?._id ?? '', account };
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

interface Load {
  /** True once SIGTERM is sent: requests that begin later may be refused. */
  signalled: boolean;
  ended: boolean;
}

async function stopUnderLoad(play: Play, round: number): Promise<void> {
  const { stage, process, chance, account } = play;
  const load: Load = { signalled: false, ended: false };
  const running = Promise.all([
    ...Array.from({ length: SENDS }, (_, n) =>
      countRequest(play, load, () => sendMessage(play, `Round ${round}, ${n}`)),
    ),
    ...Array.from({ length: READERS }, () => readRepeatedly(play, load)),
    postRepeatedly(play, load, round),
  ]);
  // A failure of the load is reported at the end of the round, and not during the stop.
  running.catch(() => undefined);
  await until('a delivery attempt to be under way', async () => {
    const [row] = await stage.store.sql(`select 1 from deliveries where status = 'SENDING' limit 1`);
    return row !== undefined;
  });
  await sleep(chance.int(500));
  load.signalled = true;
  const { code, ms } = await process.terminate();
  load.ended = true;
  await running;
  assert.equal(code, 0, `it ended with ${code}: ${process.lines().join('\n')}`);
  assert.ok(ms <= STOP_MS, `it took ${Math.round(ms)} ms to end`);
  account.slowestStopMs = Math.max(account.slowestStopMs, Math.round(ms));
  const left = await stage.store.sql(
    `select _id, status from deliveries where status in ('SENDING', 'UNKNOWN')
      union all select _id, status from messages where status = 'QUEUED' and message_type = 'OUTGOING'`,
  );
  assert.deepEqual(left, [], 'a delivery or a message has no outcome');
}

/** Counts one request; only a request that began after the signal may stay without an answer. */
async function countRequest(play: Play, load: Load, make: () => Promise<number | null>): Promise<number | null> {
  const { account } = play;
  const before = !load.signalled;
  const status = await make();
  if (before) account.asked += 1;
  if (before && status !== null && status < 300) account.answered += 1;
  else if (before) assert.fail(`a request that began before the signal was answered ${status}`);
  else if (status === null || status === 503) account.refusedAfter += 1;
  return status;
}

const createSingleUseAgent = (): Agent => new Agent({ pipelining: 0, keepAliveTimeout: 1 });

/** Reads on a new connection: a failure on an idle connection that closes at the same moment would prove nothing. */
async function readWebhook({ process, tenant }: Play): Promise<number | null> {
  const agent = createSingleUseAgent();
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

async function readRepeatedly(play: Play, load: Load): Promise<void> {
  while (!load.ended) {
    await countRequest(play, load, () => readWebhook(play));
    await sleep(5);
  }
}

async function postRepeatedly(play: Play, load: Load, round: number): Promise<void> {
  for (let number = 0; !load.ended; number += 1) {
    const body = buildNotification([textElement(PHONE, '5511983000001', `wamid.${round}.${number}`, 'Load')]);
    // The connections stay open, as a real network's do: the platform may close them only while they are idle.
    if (!load.signalled) await countRequest(play, load, () => play.network.post(play.process.url, body));
    await sleep(20);
  }
}

async function sendMessage({ process, tenant, conversation }: Play, content: string): Promise<number | null> {
  const agent = createSingleUseAgent();
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
