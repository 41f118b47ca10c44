import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { createRandom } from '../../../test/support/random.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/conversations';

const list = async (query: Record<string, string>, key = demo.key): Promise<Json> =>
  (await call(200, 'GET', `${PATH}?${new URLSearchParams(query).toString()}`, { key })).body;
const listIds = (page: Json): string[] => page.result.map((item: Json) => item._id);

const NAMES = ['José da Silva', 'Maria Souza', 'Ana Lúcia', 'Müller', 'josefina', 'X%_\\Y'];
const COUNT = 240;

interface Seeded {
  agents: string[];
  users: string[];
  inboxes: string[];
  pipelines: Json[];
  /** The created conversations, newest first. */
  records: Json[];
  contacts: Map<string, Json>;
}

/** Creates conversations that differ in every field that a list can filter by. */
async function seed(random: () => number): Promise<Seeded> {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const users: string[] = [];
  for (let count = 0; count < 3; count += 1) users.push((await platform.createUser(demo._id, 'OPERATOR'))._id);
  const [agents, inboxes] = [
    [newId(), newId()],
    [demo.inbox, newId()],
  ];
  for (const id of agents) {
    await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'x')`, [demo._id, id]);
  }
  const inbox = `insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`;
  await database.sql(inbox, [demo._id, inboxes[1]]);
  const pipelines = (await call(200, 'GET', '/v1/pipelines')).body.result as Json[];
  const contacts = Array.from({ length: 60 }, (_, index) => ({
    _id: newId(),
    name: pick(NAMES),
    email: pick([null, `person${index}@acme.example`]),
    phone_number: `+55119${String(80_000_000 + index * 1_234)}`,
  }));
  const steps = [null, ...pipelines[0].steps.map((step: Json) => step._id)];
  const rows = Array.from({ length: COUNT }, (_, index) => ({
    _id: newId(),
    contact: pick(contacts)._id,
    inbox: pick(inboxes),
    // Most conversations are closed, because a contact can have only one open conversation in an inbox; further open ones are left out.
    status: pick(['CLOSED', 'CLOSED', 'OPEN', 'PENDING', 'SNOOZED']),
    handled_by: pick(['AI', 'HUMAN', 'NONE']),
    owner: pick([null, ...users]),
    attendant: pick([null, ...users]),
    agent: pick([null, ...agents]),
    step: pick(steps),
    tags: ['vip', 'b', 'São Paulo'].filter(() => random() < 0.3),
    priority: pick([null, null, 'LOW', 'MEDIUM', 'HIGH', 'URGENT']),
    unread_count: pick([0, 0, 2]),
    // Minutes since the contact wrote. None is near a limit that the test filters by, so the time that the test takes changes nothing.
    waits: pick([null, 30, 90, 90]),
    plan: pick([null, 'Gold', 'Basic']),
    // Some conversations have the same time, so that their ids decide the order.
    at: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1_000).toISOString(),
  }));
  await database.sql(
    `insert into contacts (company_id, _id, name, email, phone_number, source)
      select $1, _id, name, email, phone_number, 'API' from jsonb_to_recordset($2) as c (_id text, name text, email text, phone_number text)`,
    [demo._id, JSON.stringify(contacts)],
  );
  const field = (
    await call(201, 'POST', '/v1/custom-fields', { body: { title: 'Plan', context: 'conversation', type: 'TEXT' } })
  ).body;
  await database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, status, handled_by, owner_id, attendant_id, agent_id,
        step_id, pipeline_id, tags, created_at, priority, unread_count, custom_fields, waiting_since)
      select $1, _id, contact, inbox, case when inbox = $4 then 'WAP_AUTO_CLOSER' else 'WEB_V2' end, status, handled_by, owner, attendant, agent, step,
        case when step is not null then $3 end, tags, at,
        coalesce(array_position(array['LOW', 'MEDIUM', 'HIGH', 'URGENT'], priority), 0), unread_count,
        case when plan is null then '{}' else jsonb_build_object($5::text, plan) end,
        case when status <> 'CLOSED' then date_trunc('minute', now()) - make_interval(mins => waits) end
      from jsonb_to_recordset($2) as v (_id text, contact text, inbox text, status text, handled_by text, owner text, attendant text,
        agent text, step text, tags text[], at timestamptz, priority text, unread_count int, plan text, waits int)
      on conflict do nothing`,
    [demo._id, JSON.stringify(rows), pipelines[0]._id, demo.inbox, field._id],
  );
  const stored = await database.sql<{ _id: string }>('select _id from conversations where company_id = $1', [demo._id]);
  const kept = new Set(stored.map((row) => row._id));
  const records = rows
    .filter((row) => kept.has(row._id))
    .map((row) => ({ ...row, pipeline: row.step && pipelines[0]._id }))
    .toSorted((a, b) => (`${a.at}${a._id}` < `${b.at}${b._id}` ? 1 : -1));
  const known = new Map(contacts.map((contact) => [contact._id, contact]));
  return { agents, users, inboxes, pipelines, records, contacts: known };
}

const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

function fits(record: Json, query: Record<string, string>, contacts: Map<string, Json>): boolean {
  return Object.entries(query).every(([name, value]) => {
    if (name === 'tag') return record.tags.includes(value);
    const isOpen = record.status !== 'CLOSED';
    if (name === 'priority') return value.split(',').includes(record.priority ?? 'none');
    if (name === 'unread') return (isOpen && record.unread_count > 0) === (value === 'true');
    if (name === 'waiting_longer_than') return isOpen && record.waits !== null && record.waits >= Number(value);
    if (name === 'channel') return (record.inbox === demo.inbox) === (value === 'WAP_AUTO_CLOSER');
    if (name === 'filters') return record.plan === JSON.parse(value)[0].value;
    if (name === 'open') return (record.status !== 'CLOSED') === (value === 'true');
    if (value === 'none') return record[name] === null;
    if (name !== 'search') return record[name] === value;
    if ([record._id, record.contact].includes(value)) return true;
    const { name: called, email, phone_number } = contacts.get(record.contact);
    const digits = /^[\d\s()+\-./]*\d[\d\s()+\-./]*$/.test(value) ? value.replaceAll(/\D/g, '') : null;
    const texts = [called, email ?? ''].map(fold);
    return texts.some((text) => text.includes(fold(value))) || (digits !== null && phone_number.includes(digits));
  });
}

const START = readSeed();
const random = createRandom(START);
const seeded = await seed(random);

/** Chooses a random query with filters whose values occur in the data. */
function ask(): Record<string, string> {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const record = pick(seeded.records);
  const contact = seeded.contacts.get(record.contact);
  const searches = [
    'jose',
    'SILVA',
    'ú',
    'müller',
    '%_\\',
    '@acme',
    contact.phone_number.slice(3, 9),
    '(11) 9',
    record._id,
    record.contact,
  ];
  const query: Record<string, string> = {};
  for (const name of ['status', 'handled_by', 'inbox', 'contact', 'owner', 'attendant', 'agent', 'step', 'pipeline']) {
    if (random() < 0.2 && record[name]) query[name] = record[name];
  }
  if (random() < 0.2) query['tag'] = pick(['vip', 'b', 'São Paulo']);
  if (random() < 0.2) query['priority'] = pick(['URGENT', 'HIGH,URGENT', 'none', 'LOW,none']);
  if (random() < 0.2) query['unread'] = pick(['true', 'false']);
  if (random() < 0.2) query['waiting_longer_than'] = pick(['0', '30', '60']);
  if (random() < 0.2) query['channel'] = pick(['WAP_AUTO_CLOSER', 'WEB_V2']);
  if (random() < 0.2)
    query['filters'] = JSON.stringify([{ field: 'plan', operator: 'eq', value: pick(['Gold', 'Basic']) }]);
  if (random() < 0.2) query['open'] = pick(['true', 'false']);
  if (random() < 0.2) query['owner'] = 'none';
  if (random() < 0.2) query['step'] = 'none';
  if (random() < 0.4) query['search'] = pick(searches);
  return query;
}

test('a list of conversations has exactly those that match its filters, in either order, and the right total', async (t) => {
  t.diagnostic(`SEED=${START}`);
  for (let round = 0; round < 150; round += 1) {
    const query = ask();
    const expected = seeded.records
      .filter((record) => fits(record, query, seeded.contacts))
      .map((record) => record._id);
    const sort = random() < 0.5 ? '-createdAt' : 'createdAt';
    if (sort === 'createdAt') expected.reverse();
    const limit = 1 + Math.floor(random() * 30);
    const page = await list({ ...query, sort, limit: String(limit) });
    const what = JSON.stringify({ ...query, sort, limit });
    assert.deepEqual(listIds(page), expected.slice(0, limit), what);
    assert.equal(page.meta.totalCount, expected.length, what);
    assert.equal(page.meta.hasNextPage, expected.length > limit, what);
  }
});

test('pages of conversations by cursor and by number show each conversation once and in order', async (t) => {
  t.diagnostic(`SEED=${START}`);
  for (const query of [{}, { handled_by: 'HUMAN' }, { search: 'jose' }, { search: '+5511', status: 'CLOSED' }]) {
    const expected = seeded.records
      .filter((record) => fits(record, query, seeded.contacts))
      .map((record) => record._id);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Json = await list({ ...query, limit: '7', skipCount: 'true', ...(after ? { after } : {}) });
      assert.equal(page.meta.totalCount, null);
      seen.push(...listIds(page));
      after = page.meta.nextCursor;
    } while (after);
    assert.deepEqual(seen, expected, JSON.stringify(query));
    const third = await list({ ...query, limit: '7', page: '3' });
    assert.deepEqual(listIds(third), expected.slice(14, 21), JSON.stringify(query));
  }
});

test('the longest waiting first, and the most urgent first: each order has every conversation once', async (t) => {
  t.diagnostic(`SEED=${START}`);
  const waiting = seeded.records.filter(({ status, waits }) => status !== 'CLOSED' && waits !== null);
  const rank = ({ priority }: Json): number => ['LOW', 'MEDIUM', 'HIGH', 'URGENT'].indexOf(priority);
  const byId = (a: Json, b: Json): number => (a._id < b._id ? -1 : 1);
  const orders: [string, Json[]][] = [
    ['waiting_since', waiting.toSorted((a, b) => b.waits - a.waits || byId(a, b))],
    ['-priority', seeded.records.toSorted((a, b) => rank(b) - rank(a) || byId(b, a))],
  ];
  for (const [sort, ordered] of orders) {
    for (const query of [{}, { open: 'true' }, { owner: 'none' }, { search: 'jose' }, { search: '+5511' }]) {
      const expected = ordered.filter((record) => fits(record, query, seeded.contacts)).map(({ _id }) => _id);
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page: Json = await list({ ...query, sort, limit: '7', ...(after ? { after } : {}) });
        assert.equal(page.meta.totalCount, expected.length);
        seen.push(...listIds(page));
        after = page.meta.nextCursor;
      } while (after);
      assert.deepEqual(seen, expected, JSON.stringify({ ...query, sort }));
    }
  }
  assert.ok(waiting.length > 14);
});

test('each count of a view is the totalCount of the list with its filters', async (t) => {
  t.diagnostic(`SEED=${START}`);
  const { token, _id: user } = await platform.createUser(demo._id, 'OPERATOR');
  await database.sql('update conversations set owner_id = $2 where owner_id = $1', [seeded.users[0], user]);
  const counts = (await call(200, 'GET', `${PATH}/counts`, { key: token })).body;
  const total = async (query: Record<string, string>): Promise<number> => (await list(query)).meta.totalCount;
  const open = { open: 'true' };
  assert.equal(counts.open, await total(open));
  assert.equal(counts.mine, await total({ ...open, owner: user }));
  assert.equal(counts.unassigned, await total({ ...open, owner: 'none' }));
  assert.ok(counts.mine > 0 && counts.unassigned > 0);
  for (const status of ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED']) {
    assert.equal(counts.status[status], await total({ status }), status);
  }
  for (const inbox of seeded.inboxes) {
    const { count = 0 } = counts.inboxes.find((item: Json) => item.inbox === inbox) ?? {};
    assert.equal(count, await total({ ...open, inbox }));
  }
  for (const { _id: step } of seeded.pipelines[0].steps) {
    const { count = 0 } = counts.steps.find((item: Json) => item.step === step) ?? {};
    assert.equal(count, await total({ ...open, step }));
  }
  const waiting = { ...open, snoozed: 'false', awaits_reply: 'false', step: 'none' };
  assert.equal(counts.queues.no_step, await total(waiting));
  assert.ok(counts.queues.no_step > 0);
  assert.deepEqual((await call(200, 'GET', `${PATH}/counts`)).body, {
    ...counts,
    mine: null,
    unread: null,
    queues: { ...counts.queues, mine: null },
  });
  const other = await platform.createCompany();
  const empty = (await call(200, 'GET', `${PATH}/counts`, { key: other.key })).body;
  const queues = { mine: null, unassigned: 0, all: 0, no_step: 0, awaiting_reply: 0 };
  const none = { OPEN: 0, PENDING: 0, SNOOZED: 0, CLOSED: 0 };
  assert.deepEqual(empty, {
    open: 0,
    mine: null,
    unread: null,
    unassigned: 0,
    status: none,
    queues,
    inboxes: [],
    teams: [],
    steps: [],
  });
});

test('a conversation in the list equals the answer of its GET', async () => {
  const { result } = await list({ limit: '5' });
  for (const item of result) assert.deepEqual((await call(200, 'GET', `${PATH}/${item._id}`)).body, item);
});

test('a filter of conversations with the id of an unknown record or of another company is answered 400 with the name of the filter', async () => {
  const other = await platform.createCompany();
  const [pipeline] = (await call(200, 'GET', '/v1/pipelines', { key: other.key })).body.result;
  const user = (await platform.createUser(other._id, 'OWNER'))._id;
  const theirs = {
    inbox: newId(),
    contact: (await call(201, 'POST', '/v1/contacts', { key: other.key, body: { name: 'x' } })).body._id,
    owner: user,
    attendant: user,
    agent: newId(),
    pipeline: pipeline._id,
    step: pipeline.steps[0]._id,
  };
  for (const [name, id] of Object.entries(theirs)) {
    for (const value of [id, newId()]) {
      expectProblem(await call(400, 'GET', `${PATH}?${name}=${value}`), 'UNKNOWN_REFERENCE', name);
    }
  }
  for (const query of [
    'status=open',
    'open=1',
    'owner=nobody',
    'step=nobody',
    'handled_by=ME',
    'inbox=1',
    'tag=',
    'priority=high',
    'priority=HIGH,',
    'waiting_longer_than=-1',
    'unread=2',
    'channel=FAX',
    'filters=[{}]',
    'limit=101',
    'surprise=1',
  ]) {
    await call(400, 'GET', `${PATH}?${query}`);
  }
  assert.deepEqual((await list({}, other.key)).result, []);
  assert.deepEqual((await list({ search: 'jose' }, other.key)).result, []);
});

test('a search that very many contacts match finds their conversations, near the beginning of the list and far from it', async () => {
  const company = await platform.createCompany();
  const inbox = newId();
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`, [
    company._id,
    inbox,
  ]);
  // Of 9,000 contacts, a third has the search text in the name, a third in the e-mail and a third in the
  // number. The newest conversations belong to the contacts with the text in the e-mail or the number.
  await database.sql(
    `with c as (
      insert into contacts (company_id, _id, name, email, phone_number, source)
      select $1, lpad(to_hex(n), 24, '0'), case n % 3 when 0 then 'João Pereira ' || n else 'Bia' end,
        case n % 3 when 1 then 'bia' || n || '@Many.example' end, case n % 3 when 2 then '+551177700' || n end, 'API'
      from generate_series(1, 9000) n returning _id, name
    ), numbered as (select _id, row_number() over (order by name <> 'Bia' desc, _id) as place from c)
    insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, created_at)
    select $1, _id, _id, $2, 'WEB_V2', 'NONE', '2026-01-01'::timestamptz + place * interval '1 second' from numbered`,
    [company._id, inbox],
  );
  const page = await list({ search: 'joao', limit: '3' }, company.key);
  assert.equal(page.meta.totalCount, 3_000);
  for (const search of ['many.EX', '(11) 777-00']) {
    assert.equal((await list({ search }, company.key)).meta.totalCount, 3_000, search);
  }
  const far = page.result.map((item: Json) => Number.parseInt(item._id, 16));
  assert.deepEqual(far, [9_000, 8_997, 8_994]);
  const near = await list({ search: 'joao', limit: '3', sort: 'createdAt' }, company.key);
  assert.deepEqual(
    near.result.map((item: Json) => Number.parseInt(item._id, 16)),
    [3, 6, 9],
  );
  const next = await list(
    { search: 'joao', limit: '3', sort: 'createdAt', after: near.meta.nextCursor, skipCount: 'true' },
    company.key,
  );
  assert.deepEqual(
    next.result.map((item: Json) => Number.parseInt(item._id, 16)),
    [12, 15, 18],
  );
  assert.equal((await list({ search: 'joao', status: 'CLOSED' }, company.key)).meta.totalCount, 0);
});

test('the list and the counts of conversations refuse callers without a token or the scope, and malformed requests', async () => {
  for (const path of [PATH, `${PATH}/counts`])
    await checkRefusals(platform, { method: 'GET', path, scope: 'conversations:read' });
});
