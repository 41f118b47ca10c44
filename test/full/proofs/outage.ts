/**
 * Kills the database under load and starts it again. No request hangs, no process ends, and everything that was acknowledged before, during
 * and after the outage is stored.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../support/wait.ts';
import { createChance } from '../harness/chance.ts';
import { createNetwork, buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { createWebhook, withStage, createInbox, type Stage, type Tenant } from '../harness/stage.ts';

export interface OutageSize {
  rounds: number;
  awayMs: number;
  /** Whether times are judged, which takes a machine of its own. */
  judgesPace: boolean;
  seed: number;
}

export interface OutageResult {
  rounds: number;
  posts: number;
  acknowledged: number;
  refused: number;
  slowestAnswerMs: number;
  slowestNoticeMs: number;
  slowestReturnMs: number;
}

const PHONE = '100000000000600';
const LANES = 4;
// The time limits of an answer, of the report of the outage by /health/ready, and of being ready again.
const ANSWER_MS = 2_000;
const NOTICE_MS = 2_000;
const RETURN_MS = 2_000;

interface OutageRun {
  stage: Stage;
  process: PlatformProcess;
  tenant: Tenant;
  network: SimulatedNetwork;
  receiver: Receiver;
  acknowledged: Set<string>;
  account: OutageResult;
  ended: boolean;
}

export async function proveOutage({ rounds, awayMs, judgesPace, seed }: OutageSize): Promise<OutageResult> {
  return withStage({ killable: true }, async (stage) => {
    const chance = createChance(seed);
    const receiver = await startReceiver(() => ({ status: 200, afterMs: 1 + chance.int(20) }));
    const network = createNetwork(stage.appSecret);
    try {
      const process = await stage.start('all', { DATABASE_WAIT: '2s' });
      const tenant = await stage.createTenant('Company');
      await createInbox(process, tenant, PHONE);
      await createWebhook(process, tenant, receiver.url, ['MESSAGE_RECEIVED']);
      const times = { slowestAnswerMs: 0, slowestNoticeMs: 0, slowestReturnMs: 0 };
      const account = { rounds, posts: 0, acknowledged: 0, refused: 0, ...times };
      const play: OutageRun = {
        stage,
        process,
        tenant,
        network,
        receiver,
        acknowledged: new Set(),
        account,
        ended: false,
      };
      const load = Promise.all([
        ...Array.from({ length: LANES }, (_, lane) => postRepeatedly(play, lane)),
        readRepeatedly(play),
      ]);
      // A failure of the load is reported at the end, because the database must run again before anything can be closed.
      load.catch(() => undefined);
      for (let round = 0; round < rounds; round += 1) {
        await sleep(300 + chance.int(700));
        await causeOutage(play, awayMs);
      }
      play.ended = true;
      await load;
      await compareWithAcknowledged(play);
      if (judgesPace) assertTimes(account);
      return account;
    } finally {
      await network.close();
      await receiver.close();
    }
  });
}

async function causeOutage(play: OutageRun, awayMs: number): Promise<void> {
  const { stage, process, account } = play;
  const pid = process.pid;
  await stage.store.crash();
  const gone = performance.now();
  await waitUntil(
    '/health/ready to say that the database is away',
    async () => (await getReadyStatus(process)) === 503,
  );
  account.slowestNoticeMs = Math.max(account.slowestNoticeMs, Math.round(performance.now() - gone));
  await sleep(Math.max(0, awayMs - (performance.now() - gone)));
  await stage.store.revive();
  const back = performance.now();
  const before = play.acknowledged.size;
  await waitUntil('/health/ready to say that it is back', async () => (await getReadyStatus(process)) === 200);
  await waitUntil('a callback to be stored again', () => play.acknowledged.size > before);
  account.slowestReturnMs = Math.max(account.slowestReturnMs, Math.round(performance.now() - back));
  assert.ok(process.alive && process.pid === pid, `the process ended: ${process.lines().join('\n')}`);
}

async function getReadyStatus({ url }: PlatformProcess): Promise<number> {
  const answer = await fetch(`${url}/health/ready`);
  await answer.text();
  return answer.status;
}

/** Waits for the answer, and records its duration if it is the slowest one so far. */
async function recordSlowest<T>({ account }: OutageRun, ask: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const answer = await ask();
  account.slowestAnswerMs = Math.max(account.slowestAnswerMs, Math.round(performance.now() - started));
  return answer;
}

async function postRepeatedly(play: OutageRun, lane: number): Promise<void> {
  for (let number = 0; !play.ended; number += 1) {
    const id = `wamid.${lane}.${number}`;
    const body = buildNotification([buildTextElement(PHONE, `551198400000${lane}`, id, 'Load')]);
    const status = await recordSlowest(play, () => play.network.post(play.process.url, body));
    assert.ok(status === 200 || status === 503, `a callback was answered ${status}`);
    play.account.posts += 1;
    if (status === 200) play.acknowledged.add(id);
    else play.account.refused += 1;
    await sleep(10);
  }
}

async function readRepeatedly(play: OutageRun): Promise<void> {
  const { process, tenant } = play;
  while (!play.ended) {
    const status = await recordSlowest(play, async () => {
      const answer = await fetch(`${process.url}/v1/webhooks`, { headers: { authorization: `Bearer ${tenant.key}` } });
      await answer.text();
      return answer.status;
    });
    assert.ok(status === 200 || status === 503, `a read was answered ${status}`);
    await sleep(20);
  }
}

async function compareWithAcknowledged({ stage, receiver, acknowledged, account }: OutageRun): Promise<void> {
  account.acknowledged = acknowledged.size;
  const rows = await stage.store.sql<{ external_id: string }>('select external_id from messages');
  const stored = new Set(rows.map((row) => row.external_id));
  assert.deepEqual(
    [...acknowledged].filter((id) => !stored.has(id)),
    [],
    'a callback was answered 200 and lost',
  );
  assert.equal(rows.length, stored.size);
  await waitUntil(
    'the queue to be empty',
    async () => (await stage.store.sql(`select 1 from deliveries where status = 'QUEUED' limit 1`)).length === 0,
  );
  const twice = [...receiver.counts].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], 'a delivery was received twice');
  const [queued] = await stage.store.sql<{ count: number }>('select count(*)::int as count from deliveries');
  assert.equal(queued?.count, rows.length, 'a stored message without its delivery');
  assert.ok(account.refused > 0, 'no request was refused while the database was away');
}

function assertTimes({ slowestAnswerMs, slowestNoticeMs, slowestReturnMs }: OutageResult): void {
  assert.ok(slowestAnswerMs <= ANSWER_MS, `an answer took ${slowestAnswerMs} ms`);
  assert.ok(slowestNoticeMs <= NOTICE_MS, `/health/ready took ${slowestNoticeMs} ms to report the outage`);
  assert.ok(slowestReturnMs <= RETURN_MS, `the service took ${slowestReturnMs} ms to return`);
}
