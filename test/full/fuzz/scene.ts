/** What the fuzz shoots at: a real process that serves two companies with living records, and everything that a caller may hold. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createKey } from '../../../src/features/api-keys/api-keys.ts';
import { EVENT_NAMES } from '../../../src/platform/events.ts';
import type { Chance } from '../harness/chance.ts';
import { createNetwork, notificationOf, textElement } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, listen, openInbox, type Stage, type Tenant } from '../harness/stage.ts';
import type { Hint } from './generate.ts';
import { WEIGHABLE } from './weigh.ts';

export const PHONE = '100000000000101';
const SPARE_PHONE = '100000000000102';
const FOREIGN_PHONE = '100000000000103';
const PEOPLE = 6;
// Older ids make room: what the fuzz has just made is what the next requests should meet.
const REMEMBERED = 40;

export interface Caller {
  name: string;
  headers: Record<string, string>;
  /** False when it may be refused before anything else is looked at. */
  full: boolean;
}

export interface Scene {
  process: PlatformProcess;
  appSecret: string;
  callers: Caller[];
  /** Living ids of the company, by collection. */
  ids: Map<string, string[]>;
  foreignIds: string[];
  hint: Hint;
  remember(collection: string, id: string): void;
}

export async function setScene(stage: Stage): Promise<Scene> {
  const previousSecret = randomBytes(32).toString('hex');
  const process = await stage.start('all', { ...WEIGHABLE, DATABASE_POOL: '10', JWT_SECRET_PREVIOUS: previousSecret });
  const own = await stage.createTenant('fuzzed');
  const foreign = await stage.createTenant('foreign');
  await furnish(stage, process, own, PHONE);
  await openInbox(process, own, SPARE_PHONE);
  await furnish(stage, process, foreign, FOREIGN_PHONE);
  const ids = await readIds(stage, own);
  const foreignIds = [...(await readIds(stage, foreign)).values()].flat();
  const remember = (collection: string, id: string): void => {
    const known = ids.get(collection) ?? [];
    known.push(id);
    // Messages and deliveries made at the start stay: the fuzz's own failures are not the only ones to look at.
    if (known.length > REMEMBERED) known.splice(REMEMBERED / 2, 1);
    ids.set(collection, known);
  };
  const callers = await openCallers(stage, { own, foreign, previousSecret });
  return {
    process,
    appSecret: stage.appSecret,
    callers,
    ids,
    foreignIds,
    remember,
    hint: hintOf(stage.sandboxUrl, ids),
  };
}

/** An inbox on the number, people who wrote to it, notes, a webhook that hears everything. */
async function furnish(stage: Stage, process: PlatformProcess, tenant: Tenant, phone: string): Promise<void> {
  await openInbox(process, tenant, phone);
  await listen(process, tenant, `${stage.sandboxUrl}/receiver/fuzz`, [...EVENT_NAMES]);
  const network = createNetwork(stage.appSecret);
  try {
    const people = Array.from({ length: PEOPLE }, (_, index) => `55119${phone.slice(-3)}0000${index}`);
    const elements = people.flatMap((from, index) =>
      [0, 1].map((round) => textElement(phone, from, `wamid.${phone}.${index}.${round}`, 'Ol\u00e1')),
    );
    assert.equal(await network.post(process.url, notificationOf(elements)), 200);
  } finally {
    await network.close();
  }
}

async function readIds(stage: Stage, tenant: Tenant): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const table of ['inboxes', 'contacts', 'conversations', 'messages', 'webhooks', 'deliveries']) {
    const rows = await stage.store.sql<{ _id: string }>(`select _id from ${table} where company_id = $1 order by _id`, [
      tenant._id,
    ]);
    const found = rows.map(({ _id }) => _id);
    assert.ok(found.length > 0, `the scene has no ${table}`);
    // The first inbox keeps its number, so that callbacks and sends have somewhere to go.
    ids.set(table, table === 'inboxes' ? found.slice(1) : found);
  }
  return ids;
}

interface Cast {
  own: Tenant;
  foreign: Tenant;
  previousSecret: string;
}

async function openCallers(stage: Stage, { own, foreign, previousSecret }: Cast): Promise<Caller[]> {
  const keyOf = (company: string | null, scopes: string[]): Promise<string> =>
    stage.database.systemTx(
      async (tx) => (await createKey(tx, previousSecret, { company, name: 'fuzz', scopes })).token,
    );
  const globalKey = await keyOf(null, ['*']);
  const bearer = (token: string, others: Record<string, string> = {}) => ({
    authorization: `Bearer ${token}`,
    ...others,
  });
  const caller = (name: string, headers: Record<string, string>, full = false): Caller => ({ name, headers, full });
  const company = caller('the company', bearer(own.key), true);
  return [
    ...Array.from({ length: 16 }, () => company),
    caller('a global key', bearer(globalKey, { 'x-company-id': own._id }), true),
    caller('a company that names another', bearer(own.key, { 'x-company-id': foreign._id }), true),
    caller('a global key without a company', bearer(globalKey)),
    caller('a global key for nobody', bearer(globalKey, { 'x-company-id': 'f'.repeat(24) })),
    caller('another company', bearer(foreign.key)),
    caller('a narrow key', bearer(await keyOf(own._id, ['contacts:read', 'webhooks:read']))),
    caller('a key that was tampered with', bearer(`${own.key.slice(0, -3)}AAA`)),
    caller('nobody', {}),
  ];
}

/** Fields whose text must make sense for anything beyond validation to run. Addresses stay on this machine. */
function hintOf(sandboxUrl: string, ids: Map<string, string[]>): Hint {
  const living = (collection: string, chance: Chance): string => chance.pick(ids.get(collection) ?? []);
  const hints: Record<string, (chance: Chance) => string> = {
    url: () => `${sandboxUrl}/receiver/fuzz`,
    base_url: () => `${sandboxUrl}/partner`,
    webhook_url: () => `${sandboxUrl}/hooks/wap`,
    conversationId: (chance) => living('conversations', chance),
    replyTo: (chance) => living('messages', chance),
    phone_number_id: (chance) => `1000000000${1_000 + chance.int(9_000)}`,
  };
  return (field, chance) => hints[field]?.(chance) ?? null;
}

/** After everything: the process still does its work, from a callback to a note. */
export async function checkService({ process, ids, callers, appSecret }: Scene): Promise<void> {
  const network = createNetwork(appSecret);
  try {
    const element = textElement(
      PHONE,
      '5511910000000',
      `wamid.after.${randomBytes(8).toString('hex')}`,
      'still there?',
    );
    assert.equal(await network.post(process.url, notificationOf([element])), 200);
    assert.equal(await network.post(process.url, '{}'), 200);
  } finally {
    await network.close();
  }
  const key = callers[0]?.headers['authorization']?.slice('Bearer '.length) ?? '';
  const conversationId = ids.get('conversations')?.[0];
  const note = { conversationId, message: { content: 'after the storm' } };
  const written = await call(201, 'POST', `${process.url}/v1/messages/note`, { key, body: note });
  const read = await call(200, 'GET', `${process.url}/v1/messages/${written._id}`, { key });
  assert.equal(read.content, 'after the storm');
  await call(200, 'GET', `${process.url}/health/ready`);
}
