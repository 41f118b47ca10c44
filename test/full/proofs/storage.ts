/**
 * Fills a small disk, first slowly, then at once. Writes are refused before the reserve is used up, reads continue,
 * the database recovers by itself when a full disk has ended it, and everything acknowledged is still there.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox/test-process.ts';
import { UNLIMITED, type Json } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { createNetwork, buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import { startProcess, type PlatformProcess } from '../harness/processes.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts';
import { call, createWebhook, createInbox, type Tenant } from '../harness/stage.ts';

export interface StorageSize {
  rounds: number;
  seed: number;
}

export interface StorageResult {
  rounds: number;
  acknowledged: number;
  refused: number;
  leastFreeMb: number;
  recoveries: number;
}

const MB = 2 ** 20;
// The size of the disk: a new database takes some 60 MB of it, and the ballast file of the platform 64 MB.
const DISK_MB = 400;
const RESERVE_MB = 96;
// The text of each message, so long that the lanes write tens of megabytes a second.
const TEXT = 'x'.repeat(4_000);
const TEXTS = 20;
const LANES = 4;
const PHONE = '100000000000900';
const DATA = 'data';
// A segment has 16 MB, so the disk has room for far fewer.
const SWITCHES = `select pg_logical_emit_message(false, $$a$$, repeat($$x$$, 1000) || n), pg_switch_wal()
  from generate_series(1, 100) n`;
// The time limit of a recovery, which depends on the machine; its duration is not judged.
const PATIENCE_MS = 300_000;

interface StorageRun {
  disk: SmallDisk;
  process: PlatformProcess;
  tenant: Tenant;
  network: SimulatedNetwork;
  receiver: Receiver;
  chance: Chance;
  owner: { email: string; password: string };
  messages: Set<string>;
  contacts: Set<string>;
  account: StorageResult;
  ended: boolean;
}

/** Runs the proof; returns null where no small disk can be mounted. */
export async function proveStorage({ rounds, seed }: StorageSize): Promise<StorageResult | null> {
  const disk = await mountSmallDisk(DISK_MB);
  if (!disk) return null;
  const undo: (() => Promise<unknown>)[] = [disk.close];
  try {
    const play = await startStorageProof(disk, createChance(seed), undo);
    undo.push(async () => (play.ended = true));
    const load = Promise.all([
      ...Array.from({ length: LANES }, (_, lane) => postRepeatedly(play, lane)),
      createContactsRepeatedly(play),
    ]);
    // A failure of the load is reported at the end.
    load.catch(() => undefined);
    for (; play.account.rounds < rounds; play.account.rounds += 1) {
      await fillSlowly(play);
      await fillWholeDisk(play);
    }
    play.ended = true;
    await load;
    await compareWithAcknowledged(play);
    return play.account;
  } finally {
    for (const step of undo.toReversed()) await step();
  }
}

async function startStorageProof(
  disk: SmallDisk,
  chance: Chance,
  undo: (() => Promise<unknown>)[],
): Promise<StorageRun> {
  const appSecret = randomBytes(16).toString('hex');
  const sandbox = await startSandbox({ SANDBOX_APP_SECRET: appSecret, SANDBOX_OPEN: '1' });
  undo.push(sandbox.stop);
  const receiver = await startReceiver(() => ({ status: 200, afterMs: 1 }));
  undo.push(receiver.close);
  const network = createNetwork(appSecret);
  undo.push(network.close);
  const env = {
    ...UNLIMITED,
    DATA_DIR: `${disk.folder}/${DATA}`,
    STORAGE_RESERVE: `${RESERVE_MB}MB`,
    HOST: '127.0.0.1',
    SANDBOX: 'off',
    WAP_GRAPH_URL: sandbox.url,
    WAP_APP_SECRET: appSecret,
    WAP_VERIFY_TOKEN: 'verify',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  };
  const process = await startProcess('all', env, disk.through);
  // Ends the process in order, so that its database server ends with it.
  undo.push(process.terminate);
  const credentials = JSON.parse(await disk.read(`${DATA}/credentials.json`)) as Json;
  const tenant = { _id: credentials.company_id, key: credentials.company_key };
  await createInbox(process, tenant, PHONE);
  await createWebhook(process, tenant, receiver.url, ['MESSAGE_RECEIVED']);
  const account = { rounds: 0, acknowledged: 0, refused: 0, leastFreeMb: DISK_MB, recoveries: 0 };
  const noted = { messages: new Set<string>(), contacts: new Set<string>(), account, ended: false };
  return { disk, process, tenant, network, receiver, chance, owner: credentials.user, ...noted };
}

/** Posts callbacks until the end; a refused callback is posted again, as the network does. */
async function postRepeatedly(play: StorageRun, lane: number): Promise<void> {
  for (let number = 0; !play.ended; number += 1) {
    const ids = Array.from({ length: TEXTS }, (_, index) => `wamid.${lane}.${number}.${index}`);
    const body = buildNotification(ids.map((id) => buildTextElement(PHONE, `551198400000${lane}`, id, TEXT)));
    while (!play.ended) {
      const status = await play.network.post(play.process.url, body);
      assert.ok(status === 200 || status === 503, `a callback was answered ${status}`);
      if (status === 200) {
        for (const id of ids) play.messages.add(id);
        break;
      }
      play.account.refused += 1;
      await sleep(20);
    }
  }
}

async function createContactsRepeatedly(play: StorageRun): Promise<void> {
  for (let number = 0; !play.ended; number += 1) {
    const { status, body } = await sendRequest(play, 'POST', '/v1/contacts', {
      name: TEXT.slice(0, 100),
      external_id: `c${number}`,
    });
    assert.ok(status === 201 || status === 503, `a contact was answered ${status}: ${JSON.stringify(body)}`);
    if (status === 201) play.contacts.add(body._id);
    else play.account.refused += 1;
    await sleep(10);
  }
}

async function sendRequest({ process, tenant }: StorageRun, method: string, path: string, body?: unknown) {
  const answer = await fetch(process.url + path, {
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  return { status: answer.status, headers: answer.headers, body: (isJson ? JSON.parse(text) : text) as Json };
}

const readStorageState = async (play: StorageRun): Promise<string> => {
  const { status, body } = await sendRequest(play, 'GET', '/health/ready');
  return status === 200 ? body.storage : String(status);
};

/** Fills the disk until little more than the reserve is free; the writes under load use the rest. */
async function fillSlowly(play: StorageRun): Promise<void> {
  const { disk, account } = play;
  const pid = await disk.serverPid(DATA);
  await sleep(play.chance.int(500));
  await disk.fill((await disk.freeBytes()) - (RESERVE_MB + 16) * MB);
  await waitUntil('writes to be refused', async () => (await readStorageState(play)) === 'full', PATIENCE_MS);
  await assertWritesRefused(play);
  const before = account.refused;
  await waitUntil(
    'many more to be refused',
    async () => {
      account.leastFreeMb = Math.min(account.leastFreeMb, Math.round((await disk.freeBytes()) / MB));
      return account.refused > before + 200;
    },
    PATIENCE_MS,
  );
  assert.ok(account.leastFreeMb > RESERVE_MB / 2, `only ${account.leastFreeMb} MB of the reserve are left`);
  assert.equal(await disk.serverPid(DATA), pid, 'the database ended over a disk that was not full');
  await freeDiskAndAwaitRecovery(play);
}

/** Checks which operations continue and which are refused on a full disk. */
async function assertWritesRefused(play: StorageRun): Promise<void> {
  const { process, receiver, owner } = play;
  const refused = await sendRequest(play, 'POST', '/v1/contacts', { name: 'Too late' });
  assert.equal(refused.status, 503);
  assert.equal(refused.body.code, 'STORAGE_FULL');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  for (const path of ['/v1/contacts?limit=1', '/v1/conversations', '/v1/inboxes', '/v1/webhooks/deliveries?limit=1'])
    assert.equal((await sendRequest(play, 'GET', path)).status, 200, path);
  const session = await call(200, 'POST', `${process.url}/v1/auth/login`, { body: owner });
  await call(200, 'GET', `${process.url}/v1/auth/me`, { key: session.access_token });
  const metrics = (await sendRequest(play, 'GET', '/metrics')).body as string;
  assert.match(metrics, /^parley_storage_refusing_writes 1$/m);
  assert.match(metrics, /^parley_storage_free_bytes\{folder="database"\} \d+$/m);
  // Deliveries that were claimed before may still be under way.
  await waitUntil('deliveries to rest', async () => {
    const before = receiver.receipts.length;
    await sleep(500);
    return receiver.receipts.length === before;
  });
}

async function freeDiskAndAwaitRecovery(play: StorageRun): Promise<void> {
  await play.disk.clear();
  await waitUntil(
    'the platform to notice the free space',
    async () => (await readStorageState(play)) === 'ok',
    PATIENCE_MS,
  );
  const before = play.messages.size;
  await waitUntil('callbacks to be stored again', () => play.messages.size > before, PATIENCE_MS);
  assert.ok(play.process.alive, play.process.lines().join('\n'));
}

/** Fills the whole disk while the database has to write. */
async function fillWholeDisk(play: StorageRun): Promise<void> {
  const { disk, process, account } = play;
  const pid = await disk.serverPid(DATA);
  const session = await disk.connect(DATA);
  await disk.fill(Number.POSITIVE_INFINITY);
  await waitUntil(
    'the database to end over the full disk',
    async () => {
      // This statement switches log segments until the database needs a new segment: so often at once that no checkpoint hands out old
      // segments again in between. The disk is not filled further meanwhile, because the recovery needs the space that the ballast file frees.
      await session.query(SWITCHES).catch(() => undefined);
      return (await disk.serverPid(DATA)) !== pid;
    },
    PATIENCE_MS,
  );
  await session.end().catch(() => undefined);
  await waitUntil(
    'reading to go on beside a full disk',
    async () => (await readStorageState(play)) === 'full',
    PATIENCE_MS,
  );
  assert.ok(process.alive, process.lines().join('\n'));
  assert.equal((await sendRequest(play, 'GET', '/v1/contacts?limit=1')).status, 200);
  assert.equal((await sendRequest(play, 'POST', '/v1/contacts', { name: 'Too late' })).body.code, 'STORAGE_FULL');
  account.recoveries += 1;
  await freeDiskAndAwaitRecovery(play);
}

async function compareWithAcknowledged({ disk, messages, contacts, account }: StorageRun): Promise<void> {
  account.acknowledged = messages.size + contacts.size;
  const rows = await disk.sql<{ external_id: string }>(DATA, 'select external_id from messages');
  const stored = new Set(rows.map((row) => row.external_id));
  assert.deepEqual(
    [...messages].filter((id) => !stored.has(id)),
    [],
    'a callback was answered 200 and lost',
  );
  assert.equal(rows.length, stored.size);
  const made = new Set((await disk.sql<{ _id: string }>(DATA, 'select _id from contacts')).map((row) => row._id));
  assert.deepEqual(
    [...contacts].filter((id) => !made.has(id)),
    [],
    'a contact was answered 201 and lost',
  );
}
