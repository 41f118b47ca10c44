/**
 * Two database servers with synchronous replication. The primary is killed again and again, the standby is promoted, and a new standby is
 * made of it; in between the primary is read-only for seconds, and its standby does not answer. Meanwhile a company receives callbacks, sends
 * messages, creates and imports contacts, and runs a campaign. Nothing that was acknowledged is lost, and nothing happens twice.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../support/wait.ts';
import { audit, type Audited } from '../failover/audit.ts';
import {
  BULK_PHONE,
  CAMPAIGN_PHONE,
  FIRST,
  makeNumber,
  PHONE,
  runClients,
  type FailoverRun,
} from '../failover/clients.ts';
import { followLive } from '../failover/follower.ts';
import { createChance } from '../harness/chance.ts';
import { openDatabasePair, type DatabasePair } from '../harness/database-pair.ts';
import { buildNotification, buildTextElement, createNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver } from '../harness/receiver.ts';
import { call, createInbox, createWebhook, sendRequest, withStage, type Stage } from '../harness/stage.ts';
import { insertContacts, startCampaign } from './campaigns.ts';

export interface FailoverSize {
  /** How often the primary is killed. */
  promotions: number;
  /** How often the primary is read-only, for 3 s and then for 8 s. */
  windows: number;
  /** How long the standby does not answer. */
  deadMs: number;
  /** How many contacts the campaign has. */
  contacts: number;
  /** Whether times are judged, which takes a machine of its own. */
  judgesPace: boolean;
  seed: number;
}

export interface FailoverResult extends Audited {
  promotions: number;
  refused: number;
  slowestReturnMs: number;
  /** The slowest answer while the standby does not answer, and how many COMMITs waited for it at the same time. */
  slowestDeadMs: number;
  slowestDead: string;
  mostWaiting: number;
  slowestNoticeMs: number;
  liveBreaks: number;
  liveResumed: number;
  liveResets: number;
}

type Figures = Pick<
  FailoverResult,
  'slowestReturnMs' | 'slowestDeadMs' | 'slowestDead' | 'mostWaiting' | 'slowestNoticeMs'
>;

const PROCESSES = 2;
const POOL = 10;
const CONVERSATIONS = 10;
const READ_ONLY_MS = [3_000, 8_000];
// The time limits of the first change after a promotion, of an answer and of the report by /health/ready while the standby is dead.
const RETURN_MS = 1_000;
const ANSWER_MS = 8_000;
const NOTICE_MS = 10_000;
const LOOK_MS = 100;
const MOST_MS = 120_000;

export async function proveFailover(size: FailoverSize): Promise<FailoverResult> {
  const pair = await openDatabasePair();
  try {
    return await withStage({ store: pair.store(pair.primary, pair.standby) }, (stage) => play(stage, pair, size));
  } finally {
    await pair.close();
  }
}

async function play(stage: Stage, pair: DatabasePair, size: FailoverSize): Promise<FailoverResult> {
  const chance = createChance(size.seed);
  const receiver = await startReceiver(() => ({ status: 200, afterMs: 1 + chance.int(20) }));
  const network = createNetwork(stage.appSecret);
  const ending = new AbortController();
  const closing = new AbortController();
  try {
    const env = { DATABASE_POOL: String(POOL), DATABASE_WAIT: '2s', NUMBER_THROUGHPUT: '10' };
    const processes = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start('all', env)));
    const company = await openCompany(stage, processes[0] as PlatformProcess, { receiver, network, size });
    const acknowledged = {
      callbacks: new Set<string>(),
      contacts: new Set<string>(),
      texts: new Map(),
      imports: new Map(),
      bulkRuns: [],
    };
    const noted = { acknowledged, answers: new Map(), slowestMs: new Map(), ending: ending.signal };
    const run: FailoverRun = { stage, pair, chance, processes, network, receiver, ...company, ...noted };
    await pair.makeSynchronous();
    const follower = followLive(run, closing.signal);
    const clients = runClients(run);
    // A failure of the clients is reported at the end, because the database must run again before anything can be closed.
    clients.catch(() => ending.abort());
    const figures = await disturb(run, size);
    ending.abort();
    await clients;
    const audited = await audit(run);
    await waitUntil(
      'the live stream to bring all messages',
      () => [...acknowledged.callbacks].every((id) => follower.messages.has(id)),
      MOST_MS,
    );
    if (size.judgesPace) assertTimes(figures);
    const refused = [...run.answers].filter(([kind]) => !/ 20[01]$/.test(kind));
    return {
      promotions: size.promotions,
      ...audited,
      ...figures,
      refused: refused.reduce((sum, [, count]) => sum + count, 0),
      liveBreaks: follower.breaks,
      liveResumed: follower.resumed,
      liveResets: follower.resets,
    };
  } finally {
    ending.abort();
    closing.abort();
    await network.close();
    await receiver.close();
  }
}

/** Creates a company with conversations, a webhook and a campaign that sends. */
async function openCompany(
  stage: Stage,
  api: PlatformProcess,
  { receiver, network, size }: Pick<FailoverRun, 'receiver' | 'network'> & { size: FailoverSize },
): Promise<Pick<FailoverRun, 'tenant' | 'inbox' | 'conversations'>> {
  const tenant = await stage.createTenant('Company');
  await createInbox(api, tenant, PHONE);
  const inbox = await createInbox(api, tenant, BULK_PHONE);
  const campaignInbox = await createInbox(api, tenant, CAMPAIGN_PHONE);
  await createWebhook(api, tenant, receiver.url, ['MESSAGE_RECEIVED', 'CONTACT_CREATED', 'CONVERSATION_CREATED']);
  const settings = { callback_url: `${api.url}/hooks/wap`, retry: { start_ms: 200, max_ms: 1_000, tries: 1_000 } };
  await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: settings });
  const people = Array.from({ length: CONVERSATIONS }, (_, n) =>
    buildTextElement(PHONE, makeNumber(75_000_000 + n), `wamid.first.${n}`, 'Hello'),
  );
  await network.postUntilHeard(api.url, buildNotification(people));
  const conversations = await stage.store.sql<{ _id: string }>('select _id from conversations order by _id');
  const missing = 'select 1 from template_catalogues where fetched_at is null';
  await waitUntil('the templates', async () => (await stage.store.sql(missing)).length === 0);
  // A new business may write to fewer people a day than the campaign has.
  await stage.store.sql('update portfolios set people_limit = -1');
  await insertContacts(stage, tenant, FIRST.campaign, size.contacts);
  await startCampaign(api, tenant, campaignInbox, 1);
  return { tenant, inbox, conversations: conversations.map(({ _id }) => _id) };
}

type Disturbance = (run: FailoverRun, figures: Figures) => Promise<void>;

async function disturb(run: FailoverRun, { promotions, windows, deadMs }: FailoverSize): Promise<Figures> {
  const figures = { slowestReturnMs: 0, slowestDeadMs: 0, slowestDead: '', mostWaiting: 0, slowestNoticeMs: 0 };
  const disturbances: Disturbance[] = run.chance.shuffle([
    ...Array.from({ length: promotions }, () => failOver),
    ...Array.from(
      { length: windows },
      (_, n): Disturbance =>
        (each) =>
          refuseChanges(each, READ_ONLY_MS[n % 2] ?? 0),
    ),
    (each, its) => loseStandby(each, its, deadMs),
  ]);
  for (const cause of disturbances) {
    if (run.ending.aborted) break;
    await sleep(500 + run.chance.int(2_000));
    await cause(run, figures);
  }
  return figures;
}

/** Kills the primary, promotes the standby, and makes a new standby. */
async function failOver(run: FailoverRun, figures: Figures): Promise<void> {
  const { pair, processes } = run;
  await pair.primary.kill();
  await sleep(run.chance.int(1_500));
  await pair.promote();
  const promotedMs = performance.now();
  await Promise.all(processes.map((process) => awaitChange(run, process)));
  figures.slowestReturnMs = Math.max(figures.slowestReturnMs, Math.round(performance.now() - promotedMs));
  await pair.rebuildStandby();
  await pair.makeSynchronous();
}

/** Waits until a process accepts a change. */
async function awaitChange({ tenant }: FailoverRun, { url }: PlatformProcess): Promise<void> {
  const change = async (): Promise<boolean> => {
    const { status } = await sendRequest('POST', `${url}/v1/contacts`, { key: tenant.key, body: { name: 'Returned' } });
    assert.ok(status === 201 || status === 503, `a contact was answered ${status}`);
    return status === 201;
  };
  await waitUntil('a change to be accepted', change, MOST_MS);
}

async function refuseChanges(run: FailoverRun, ms: number): Promise<void> {
  const { primary } = run.pair;
  await primary.set({ default_transaction_read_only: 'on' });
  await sleep(ms);
  await primary.set({ default_transaction_read_only: 'off' });
  await awaitReady(run, 200);
}

/** Lets each COMMIT wait for a standby that does not exist. */
async function loseStandby(run: FailoverRun, figures: Figures, ms: number): Promise<void> {
  const { pair } = run;
  run.slowestMs.clear();
  await pair.primary.set({ synchronous_standby_names: 'dead' });
  const endMs = performance.now() + ms;
  const noticing = awaitReady(run, 503);
  while (performance.now() < endMs) {
    figures.mostWaiting = Math.max(figures.mostWaiting, await countWaiting(pair));
    await sleep(LOOK_MS);
  }
  figures.slowestNoticeMs = Math.max(figures.slowestNoticeMs, await noticing);
  for (const [kind, slowestMs] of run.slowestMs) {
    if (slowestMs > figures.slowestDeadMs) figures.slowestDead = kind;
    figures.slowestDeadMs = Math.max(figures.slowestDeadMs, slowestMs);
  }
  await pair.makeSynchronous();
  await awaitReady(run, 200);
  const most = PROCESSES * 3 * POOL;
  assert.ok(figures.mostWaiting <= most, `${figures.mostWaiting} COMMITs waited, more than ${most}`);
}

/** The transactions that wait for the standby. */
async function countWaiting({ primary }: DatabasePair): Promise<number> {
  const text = `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`;
  return (await primary.sql<{ count: number }>(text))[0]?.count ?? 0;
}

/** Waits until /health/ready of each process has this status. Returns how long that took. */
async function awaitReady({ processes }: FailoverRun, status: number): Promise<number> {
  const beganMs = performance.now();
  const isSo = async ({ url }: PlatformProcess): Promise<boolean> =>
    (await sendRequest('GET', `${url}/health/ready`, {})).status === status;
  await Promise.all(
    processes.map((process) => waitUntil(`/health/ready to be ${status}`, () => isSo(process), MOST_MS)),
  );
  return Math.round(performance.now() - beganMs);
}

function assertTimes({ slowestReturnMs, slowestDeadMs, slowestDead, slowestNoticeMs }: Figures): void {
  assert.ok(slowestReturnMs <= RETURN_MS, `changes worked ${slowestReturnMs} ms after a promotion`);
  assert.ok(
    slowestDeadMs <= ANSWER_MS,
    `an answer (${slowestDead}) took ${slowestDeadMs} ms while the standby was dead`,
  );
  assert.ok(slowestNoticeMs <= NOTICE_MS, `/health/ready took ${slowestNoticeMs} ms to report the dead standby`);
}
