/**
 * Some companies wait for their own locked rows: their callers change a company and an inbox that another
 * transaction holds locked. Meanwhile the other companies send requests that need each of the connection pools, with
 * tokens that the process has not cached, and their network posts callbacks; none of these requests may get a 5xx.
 */
import assert from 'node:assert/strict';
import pg from 'pg';
import { newId } from '../../../src/platform/values/ids.ts';
import { waitUntil } from '../../support/wait.ts';
import { createNetwork, buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { withStage, createInbox, type Stage, type Tenant } from '../harness/stage.ts';

export interface PoolsSize {
  /** The number of companies with few requests. */
  companies: number;
  /** The number of companies that wait for their own locks, and of callers for each of the two locked records of such a company. */
  slow: number;
  callers: number;
  /** The number of times that each other company sends all of its requests. */
  rounds: number;
}

export interface PoolsResult {
  /** The number of answers to the other companies, and how many of them were 5xx. */
  asked: number;
  refused: number;
  /** The number of callbacks to the other companies, and how many were not answered with 200. */
  callbacks: number;
  missed: number;
  /** The number of requests of the slow companies meanwhile, and the smallest number of connections that waited for a lock. */
  slowAsked: number;
  leastWaiting: number;
}

const POOL = 10;

interface LightRequest {
  method: string;
  path: string;
  body?: unknown;
}

// These requests need a look-up of the token, a read, a transaction of the company, a transaction for all companies, and an
// Idempotency-Key.
const LIGHT_REQUESTS: LightRequest[] = [
  { method: 'GET', path: '/v1/auth/me' },
  { method: 'GET', path: '/v1/webhooks' },
  { method: 'PATCH', path: '/v1/companies/:company', body: { description: 'Light' } },
  { method: 'POST', path: '/v1/contacts', body: { name: 'Ana' } },
];

interface TenantWithInbox extends Tenant {
  inbox: string;
  phone: string;
}

interface PoolsRun {
  stage: Stage;
  process: PlatformProcess;
  network: SimulatedNetwork;
  account: PoolsResult;
}

export async function provePools(size: PoolsSize): Promise<PoolsResult> {
  return withStage({}, async (stage) => {
    const network = createNetwork(stage.appSecret);
    const account = { asked: 0, refused: 0, callbacks: 0, missed: 0, slowAsked: 0, leastWaiting: Infinity };
    try {
      const process = await stage.start('all', { DATABASE_POOL: String(POOL) });
      const play: PoolsRun = { stage, process, network, account };
      const tenants: TenantWithInbox[] = [];
      for (let n = 0; n < size.companies + size.slow; n += 1) tenants.push(await createInboxedTenant(play, n));
      const slow = tenants.splice(0, size.slow);
      // The first requests open connections and compile code, so they are not measured.
      await Promise.all(tenants.map((tenant) => sendLightRequests(play, tenant)));
      Object.assign(account, { asked: 0, refused: 0, callbacks: 0, missed: 0 });
      await runBesideSlowCompanies(play, slow, size.callers, async () => {
        for (let round = 0; round < size.rounds; round += 1) {
          const waiting = await countLockWaits(play);
          account.leastWaiting = Math.min(account.leastWaiting, waiting);
          await Promise.all(tenants.map((tenant) => sendLightRequests(play, tenant)));
        }
      });
      assert.deepEqual([account.refused, account.missed], [0, 0], JSON.stringify(account));
      assert.ok(account.leastWaiting >= size.slow, 'the slow companies did not wait for their locks');
      return account;
    } finally {
      await network.close();
    }
  });
}

async function createInboxedTenant({ stage, process }: PoolsRun, n: number): Promise<TenantWithInbox> {
  const tenant = await stage.createTenant(`Company ${n}`);
  const phone = `1000000000001${String(n).padStart(2, '0')}`;
  return { ...tenant, phone, inbox: await createInbox(process, tenant, phone) };
}

/** Runs `work` while the slow companies send requests; their rows stay locked until `work` ends. */
async function runBesideSlowCompanies(
  play: PoolsRun,
  slow: TenantWithInbox[],
  callers: number,
  work: () => Promise<void>,
): Promise<void> {
  const holder = new pg.Client({ connectionString: play.stage.store.ownerUrl });
  await holder.connect();
  const state = { isOver: false };
  const loop = async (tenant: Tenant, asked: LightRequest): Promise<void> => {
    while (!state.isOver) {
      await sendRequest(play, tenant, asked);
      play.account.slowAsked += 1;
    }
  };
  try {
    await holder.query('begin');
    await holder.query('select from companies where _id = any($1) for update', [slow.map(({ _id }) => _id)]);
    await holder.query('select from inboxes where _id = any($1) for update', [slow.map(({ inbox }) => inbox)]);
    const loops = slow.flatMap((tenant) => {
      const company: LightRequest = { method: 'PATCH', path: '/v1/companies/:company', body: { description: 'Slow' } };
      const inbox: LightRequest = { method: 'PUT', path: `/v1/inboxes/${tenant.inbox}`, body: { name: 'Slow' } };
      return Array.from({ length: callers }, () => [loop(tenant, company), loop(tenant, inbox)]).flat();
    });
    try {
      await waitUntil('every slow company to wait', async () => (await countLockWaits(play)) >= 2 * slow.length);
      await work();
    } finally {
      state.isOver = true;
      await holder.query('rollback');
      await Promise.all(loops);
    }
  } finally {
    await holder.end();
  }
}

async function countLockWaits({ stage }: PoolsRun): Promise<number> {
  const [row] = await stage.store.sql<{ count: number }>(
    `select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return row?.count ?? 0;
}

/** Sends the light requests of one company, one after the other, and one callback. */
async function sendLightRequests(play: PoolsRun, tenant: TenantWithInbox): Promise<void> {
  const { stage, account, network, process } = play;
  const { token } = await stage.createToken(tenant);
  const fresh = { ...tenant, key: token };
  for (const asked of LIGHT_REQUESTS) {
    const status = await sendRequest(play, fresh, asked);
    assert.ok(status < 400 || status >= 500, `${asked.method} ${asked.path} answered ${status}`);
    account.asked += 1;
    if (status >= 500) account.refused += 1;
  }
  const body = buildNotification([buildTextElement(tenant.phone, '5511988887777', `wamid.${newId()}`, 'Oi')]);
  account.callbacks += 1;
  if ((await network.post(process.url, body)) !== 200) account.missed += 1;
}

/** Sends one request and returns its status; a POST has an Idempotency-Key. */
async function sendRequest(
  { process }: PoolsRun,
  { _id, key }: Tenant,
  { method, path, body }: LightRequest,
): Promise<number> {
  const response = await fetch(process.url + path.replace(':company', _id), {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': newId() } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}
