/** The target of the fuzz: a real process with two companies and their records, and all ids, keys and links that a caller may know. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createKey } from '../../../src/features/api-keys/api-keys.ts';
import { createUser } from '../../../src/features/users/users.ts';
import { hashToken } from '../../../src/platform/http/auth.ts';
import { EVENT_NAMES } from '../../../src/platform/store/events.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import type { UserRole } from '../../../src/platform/values/scopes.ts';
import { SESSION_SECONDS, signToken } from '../../../src/platform/http/tokens.ts';
import { PASSWORD } from '../../support/people.ts';
import { HURRIED } from '../../support/platform.ts';
import type { Chance } from '../harness/chance.ts';
import { createNetwork, buildNotification, buildTextElement } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, createWebhook, createInbox, type Stage, type Tenant } from '../harness/stage.ts';
import type { SuggestValue } from './generate.ts';
import { createSceneRecords, createRecordSuggestions } from './scene-records.ts';
import { WEIGHABLE } from './weigh.ts';

export const PHONE = '100000000000101';
// A company may use half of these connections, which is as many as there are requests in flight. So a short stall of the disk makes no
// request fail.
const DATABASE_POOL = 40;
const SPARE_PHONE = '100000000000102';
const FOREIGN_PHONE = '100000000000103';
const PEOPLE = 6;
// The number of links that can be used up, and of keys that can be revoked.
const SPARE = 5;
// The number of ids that are remembered for each kind of record. Older ids are forgotten, so that requests use records which the fuzz has
// just created.
const REMEMBERED = 40;

export interface Caller {
  name: string;
  headers: Record<string, string>;
  /** False when the platform may refuse this caller's requests before it checks anything else. */
  full: boolean;
  /** The ids that this caller uses in place of the scene's ids, by the kind of record. */
  ids?: Map<string, string[]>;
}

export interface Scene {
  process: PlatformProcess;
  appSecret: string;
  callers: Caller[];
  /** Existing ids of the company, by the kind of record. */
  ids: Map<string, string[]>;
  foreignIds: string[];
  /** The ids of records that other requests need. No request of the fuzz deletes or disables them. */
  kept: Set<string>;
  /** For each row and each import, the id of its table. */
  parents: Map<string, string>;
  hint: SuggestValue;
  remember(kind: string, id: string): void;
  forget(kind: string, id: string): void;
}

/**
 * Makes the process open its connections to the database, a few at a time: on a busy machine many at once take longer than a request may
 * wait for one.
 */
async function openConnections({ url }: PlatformProcess, { _id, key }: Tenant): Promise<void> {
  for (let count = 2; count <= DATABASE_POOL / 2; count += 2) {
    const calls = Array.from({ length: count }, () => [
      call(200, 'GET', `${url}/v1/inboxes?limit=1`, { key }),
      call(200, 'PATCH', `${url}/v1/companies/${_id}`, { key, body: { description: `Opened ${count}` } }),
    ]);
    await Promise.all(calls.flat());
  }
}

export async function createScene(stage: Stage): Promise<Scene> {
  const previousSecret = randomBytes(32).toString('hex');
  const process = await stage.start('all', {
    ...WEIGHABLE,
    ...HURRIED,
    DATABASE_POOL: String(DATABASE_POOL),
    JWT_SECRET_PREVIOUS: previousSecret,
  });
  const own = await stage.createTenant('fuzzed');
  const foreign = await stage.createTenant('foreign');
  for (const { _id } of [own, foreign]) await createPerson(stage, _id, 'OWNER');
  await createSceneTraffic(stage, process, own, PHONE);
  await createInbox(process, own, SPARE_PHONE);
  await createSceneTraffic(stage, process, foreign, FOREIGN_PHONE);
  const records = await createSceneRecords(stage, process, own);
  await createSceneRecords(stage, process, foreign);
  const ids = await readIds(stage, own);
  const foreignIds = [...(await readIds(stage, foreign)).values()].flat();
  const remember = (kind: string, id: string): void => {
    const known = ids.get(kind) ?? [];
    known.push(id);
    // The ids from the start of the run are kept, because the fuzz itself creates no messages and deliveries.
    if (known.length > REMEMBERED) known.splice(REMEMBERED / 2, 1);
    ids.set(kind, known);
  };
  const forget = (kind: string, id: string): void =>
    void ids.set(
      kind,
      (ids.get(kind) ?? []).filter((known) => known !== id),
    );
  const callers = await createCallers(stage, { own, foreign, previousSecret });
  const doors = await createPublicAccess(stage, own._id);
  ids.set('api-key', await addKeys(stage, own._id, previousSecret));
  // Only this company may be suspended: suspending the callers' company would make all requests fail.
  ids.set('company', [(await stage.createTenant('spare'))._id]);
  await openConnections(process, own);
  return {
    process,
    appSecret: stage.appSecret,
    callers,
    ids,
    foreignIds,
    kept: new Set(records.kept),
    parents: new Map(records.rows.map((row) => [row, records.table])),
    remember,
    forget,
    hint: createSuggestions({
      sandboxUrl: stage.sandboxUrl,
      ids,
      fields: records.fields,
      inbox: await findFirstInbox(stage, own),
      ...doors,
    }),
  };
}

// How many of the first records of a kind no request may change: one inbox keeps its number, so that callbacks and sends work, and four
// contacts keep their messages.
const UNTOUCHED: Record<string, number> = { inbox: 1, contact: 4 };

interface Person {
  _id: string;
  email: string;
}

/** Creates a user who can log in. No request of the fuzz removes this user, because the scene does not contain the id. */
function createPerson(stage: Stage, company: string, role: UserRole): Promise<Person> {
  const email = `person-${randomBytes(6).toString('hex')}@example.test`;
  return stage.database.systemTx('upkeep', (tx) =>
    createUser(tx, { company, name: 'Ana', email, role, password: PASSWORD }),
  );
}

/** E-mail addresses and mailed links that let operations without a token succeed. */
interface PublicAccess {
  emails: string[];
  linkTokens: string[];
}

async function createPublicAccess(stage: Stage, company: string): Promise<PublicAccess> {
  const doors: PublicAccess = { emails: [], linkTokens: [] };
  for (let left = SPARE; left > 0; left -= 1) {
    const person = await createPerson(stage, company, 'VIEWER');
    const token = newId();
    // Every second user still has to accept an invitation.
    if (left % 2 === 0)
      await stage.store.sql(`update users set status = 'INVITED', accepted_at = null where _id = $1`, [person._id]);
    await stage.store.sql(
      `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
      [hashToken(token), company, person._id],
    );
    doors.emails.push(person.email);
    doors.linkTokens.push(token);
  }
  return doors;
}

function addKeys(stage: Stage, company: string, secret: string): Promise<string[]> {
  return stage.database.systemTx('upkeep', async (tx) => {
    const keys: string[] = [];
    for (let left = SPARE; left > 0; left -= 1)
      keys.push((await createKey(tx, secret, { company, name: 'spare', scopes: ['*'] }))._id);
    return keys;
  });
}

/** Creates an inbox for the number, contacts who wrote to it, notes, and a webhook for all events. */
async function createSceneTraffic(
  stage: Stage,
  process: PlatformProcess,
  tenant: Tenant,
  phone: string,
): Promise<void> {
  await createInbox(process, tenant, phone);
  await createWebhook(process, tenant, `${stage.sandboxUrl}/receiver/fuzz`, [...EVENT_NAMES]);
  const network = createNetwork(stage.appSecret);
  try {
    const people = Array.from({ length: PEOPLE }, (_, index) => `55119${phone.slice(-3)}0000${index}`);
    const elements = people.flatMap((from, index) =>
      [0, 1].map((round) => buildTextElement(phone, from, `wamid.${phone}.${index}.${round}`, 'Ol\u00e1')),
    );
    await network.postUntilHeard(process.url, buildNotification(elements));
  } finally {
    await network.close();
  }
}

/** The table from which ids are taken for each kind of record. */
const TABLES: Record<string, string> = {
  user: 'users',
  inbox: 'inboxes',
  contact: 'contacts',
  conversation: 'conversations',
  message: 'messages',
  webhook: 'webhooks',
  delivery: 'deliveries',
  agent: 'agents',
  'contact-field': 'custom_fields',
  business: 'businesses',
  pipeline: 'pipelines',
  step: 'pipeline_steps',
  table: 'tables',
  row: 'table_rows',
  'quick-reply': 'quick_replies',
  view: 'views',
  segment: 'views',
  'contact-note': 'contact_notes',
  'conversation-run': 'runs',
  'contact-run': 'runs',
  campaign: 'campaigns',
  'knowledge-item': 'knowledge_items',
  'agent-turn': 'agent_turns',
  'follow-up': 'follow_ups',
  'scheduled-message': 'scheduled_messages',
  enrollment: 'campaign_enrollments',
};

async function readIds(stage: Stage, tenant: Tenant): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const [kind, table] of Object.entries(TABLES)) {
    const rows = await stage.store.sql<{ _id: string }>(`select _id from ${table} where company_id = $1 order by _id`, [
      tenant._id,
    ]);
    const found = rows.map(({ _id }) => _id);
    assert.ok(found.length > 0, `the scene has no ${table}`);
    ids.set(kind, found.slice(UNTOUCHED[kind] ?? 0));
  }
  return ids;
}

async function findFirstInbox({ store }: Stage, { _id }: Tenant): Promise<string> {
  const [row] = await store.sql<{ _id: string }>('select _id from inboxes where company_id = $1 order by _id limit 1', [
    _id,
  ]);
  return row?._id ?? '';
}

interface CallerSources {
  own: Tenant;
  foreign: Tenant;
  previousSecret: string;
}

async function createCallers(stage: Stage, { own, foreign, previousSecret }: CallerSources): Promise<Caller[]> {
  const createToken = (company: string | null, scopes: string[]): Promise<string> =>
    stage.database.systemTx(
      'upkeep',
      async (tx) => (await createKey(tx, previousSecret, { company, name: 'fuzz', scopes })).token,
    );
  const globalKey = await createToken(null, ['*']);
  const bearer = (token: string, others: Record<string, string> = {}) => ({
    authorization: `Bearer ${token}`,
    ...others,
  });
  const caller = (name: string, headers: Record<string, string>, full = false): Caller => ({ name, headers, full });
  const ofCompany = (name: string, headers: Record<string, string>): Caller => ({
    ...caller(name, headers, true),
    ids: new Map([['company', [own._id]]]),
  });
  const company = ofCompany('the company', bearer(own.key));
  const session = await createSession(await createPerson(stage, own._id, 'OWNER'), own._id, previousSecret);
  return [
    ...Array.from({ length: 16 }, () => company),
    ofCompany('an owner', bearer(session)),
    ofCompany('a company that names another', bearer(own.key, { 'x-company-id': foreign._id })),
    caller('a global key', bearer(globalKey, { 'x-company-id': own._id }), true),
    caller('a global key without a company', bearer(globalKey)),
    caller('a global key for nobody', bearer(globalKey, { 'x-company-id': 'f'.repeat(24) })),
    caller('another company', bearer(foreign.key)),
    caller('a narrow key', bearer(await createToken(own._id, ['contacts:read', 'webhooks:read']))),
    caller('a key that was tampered with', bearer(`${own.key.slice(0, -3)}AAA`)),
    caller('nobody', {}),
  ];
}

function createSession({ _id }: Person, company: string, secret: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + SESSION_SECONDS;
  return signToken(secret, _id, { type: 'user', company, role: 'OWNER', sv: 0, jti: newId(), exp });
}

interface KnownValues extends PublicAccess {
  sandboxUrl: string;
  ids: Map<string, string[]>;
  /** The ids of the custom fields. */
  fields: string[];
  inbox: string;
}

/** An id that no record has, for a kind whose records have all been deleted. */
const NOTHING = 'f'.repeat(24);

/** Returns functions that suggest values for fields whose text must make sense to pass validation. All addresses are on this machine. */
const DKIM_KEY = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});

function createSuggestions({ sandboxUrl, ids, fields, inbox, emails, linkTokens }: KnownValues): SuggestValue {
  const hints: Record<string, (chance: Chance) => unknown> = {
    ...createRecordSuggestions({ fields, inbox }),
    url: () => `${sandboxUrl}/receiver/fuzz`,
    base_url: () => `${sandboxUrl}/receiver/partner`,
    // Of a mailbox.
    address: () => 'support@shop.example',
    smtp_url: () => 'smtps://127.0.0.1:9',
    imap_url: () => 'imaps://127.0.0.1:9',
    hook_secret: () => 'a-secret-of-the-mail-server-1',
    dkim_domain: () => 'shop.example',
    dkim_selector: () => 'fuzz',
    dkim_private_key: () => DKIM_KEY,
    webhook_url: () => `${sandboxUrl}/receiver/hooks`,
    phone_number_id: (chance) => `1000000000${1_000 + chance.int(9_000)}`,
    // E-mail addresses of existing people and of new ones.
    email: (chance) => (chance.int(3) === 0 ? chance.pick(emails) : `fuzz-${chance.int(1_000_000)}@example.test`),
    password: (chance) => (chance.int(2) === 0 ? PASSWORD : 'another password'),
    new_password: () => PASSWORD,
    token: (chance) => (chance.int(2) === 0 ? chance.pick(linkTokens) : 'no such link'),
    domains: (chance) => `shop-${chance.int(100)}.example.com`,
    site: () => 'https://example.com/',
    time_zone: (chance) => chance.pick(['America/Sao_Paulo', 'UTC', 'Nowhere/Land']),
    expires_at: () => '2099-01-01T00:00:00.000Z',
    from: () => '2026-01-01T00:00:00.000Z',
    to: () => '2099-01-01T00:00:00.000Z',
    sending_hours: (chance) =>
      chance.pick([
        { from: '09:00', to: '18:00', days: [1, 5] },
        { from: '18:00', to: '09:00', days: [7] },
      ]),
    scheduled_at: () => '2099-01-01T00:00:00.000Z',
    domain: (chance) => `shop-${chance.int(100)}.example.com`,
    avatar_url: () => 'https://example.com/a.png',
    issuer: () => 'https://login.example.com',
    // The network's codes of languages have an underscore where those of people have a hyphen, so only plain ones fit both.
    language: (chance) => chance.pick(['en', 'es']),
    country: (chance) => chance.pick(['BR', 'US', 'DE']),
    currency: (chance) => chance.pick(['BRL', 'USD']),
  };
  return (field, chance, kinds = []) => {
    const named = Object.hasOwn(hints, field) ? hints[field]?.(chance) : null;
    const living = kinds.flatMap((kind) => ids.get(kind) ?? []);
    return named ?? (kinds.length > 0 ? chance.pick(living.length > 0 ? living : [NOTHING]) : null);
  };
}

/** Checks at the end that the process still works, from a received callback to a created note. */
export async function checkService({ store }: Stage, { process, callers, appSecret }: Scene): Promise<void> {
  const network = createNetwork(appSecret);
  const id = `wamid.after.${randomBytes(8).toString('hex')}`;
  try {
    const element = buildTextElement(PHONE, '5511910000000', id, 'still there?');
    await network.postUntilHeard(process.url, buildNotification([element]));
    await network.postUntilHeard(process.url, '{}');
  } finally {
    await network.close();
  }
  const key = callers[0]?.headers['authorization']?.slice('Bearer '.length) ?? '';
  const [received] = await store.sql<{ conversation: string }>(
    'select conversation_id as conversation from messages where external_id = $1',
    [id],
  );
  const note = { conversationId: received?.conversation, message: { content: 'after the storm' } };
  const written = await call(201, 'POST', `${process.url}/v1/messages/note`, { key, body: note });
  const read = await call(200, 'GET', `${process.url}/v1/messages/${written._id}`, { key });
  assert.equal(read.content, 'after the storm');
  await call(200, 'GET', `${process.url}/health/ready`);
}
