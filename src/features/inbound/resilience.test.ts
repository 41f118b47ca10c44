import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  buildNotification,
  openNetwork,
  secondsAgo,
  findStoredMessage,
  makeMessageId,
  fillMessage,
  type Phone,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listEventNames } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { purgeCallbacks } from './upkeep.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

/** Makes the database refuse each row that matches a condition, as an unforeseen defect would. */
async function refuseRows(name: string, table: string, condition: string): Promise<void> {
  await platform.database.sql(`
    create function ${name}() returns trigger language plpgsql as $$
      begin if ${condition} then raise exception 'refused by ${name}'; end if; return new; end $$`);
  await platform.database.sql(
    `create trigger ${name} before insert or update on ${table} for each row execute function ${name}()`,
  );
}

await refuseRows('poison_text', 'messages', `new.content = 'poison'`);
await refuseRows('poison_status', 'messages', `new.read_at is not null and new.content = 'unreadable'`);
await refuseRows('poison_name', 'contacts', `new.name = 'Poison'`);

interface Aside {
  address: string | null;
  reason: string;
  raw: Buffer;
}
const findAsides = async (text: string): Promise<(Omit<Aside, 'raw'> & { raw: Json })[]> =>
  (await platform.database.sql<Aside>('select address, reason, raw from callbacks_aside order by created_at, _id'))
    .map((aside) => ({ ...aside, raw: JSON.parse(aside.raw.toString()) }))
    .filter(({ raw }) => JSON.stringify(raw).includes(text));

const text = (body: string): Json => ({ type: 'text', text: { body } });

test('a message that the database refuses is kept aside, and the other messages of the callback are stored and emitted', async () => {
  const ids = [makeMessageId(), makeMessageId(), makeMessageId()];
  const from = makePhoneNumber();
  const bodies = ['before', 'poison', 'after'];
  await network.post(
    200,
    buildMessageNotification(phone, ...bodies.map((body, index) => ({ from, id: ids[index], ...text(body) }))),
  );
  const [first, refused, last] = await Promise.all(ids.map((id) => findStoredMessage(platform, phone, id)));
  assert.deepEqual([first.content, refused, last.content], ['before', null, 'after']);
  for (const message of [first, last])
    assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_RECEIVED']);
  assert.deepEqual(await listEventNames(platform, first.conversation), ['CONVERSATION_CREATED']);
  const [aside] = await findAsides(ids[1] ?? '');
  assert.equal(aside?.address, phone.id);
  assert.match(aside?.reason ?? '', /refused by poison_text/);
  assert.equal(aside?.raw.externalId, ids[1]);
});

test('a person that the database refuses affects neither another person nor another company in the same callback', async () => {
  const other = await connectPhone(platform, { company: await platform.createCompany() });
  const [bad, good] = [makePhoneNumber(), makePhoneNumber()];
  const ids = [makeMessageId(), makeMessageId(), makeMessageId()];
  const contacts = [{ wa_id: bad, profile: { name: 'Poison' } }];
  await network.post(
    200,
    buildNotification(
      {
        phone,
        value: {
          messages: [fillMessage({ from: bad, id: ids[0] }), fillMessage({ from: good, id: ids[1] })],
          contacts,
        },
      },
      { phone: other, value: { messages: [fillMessage({ from: bad, id: ids[2] })] } },
    ),
  );
  assert.equal(await findStoredMessage(platform, phone, ids[0] ?? ''), null);
  assert.equal((await findStoredMessage(platform, phone, ids[1] ?? '')).external_id, ids[1]);
  assert.equal((await findStoredMessage(platform, other, ids[2] ?? '')).external_id, ids[2]);
  assert.equal((await findAsides(ids[0] ?? '')).length, 1);
});

test('a status and an edit that the database refuses are kept aside, and the statuses next to them are applied', async () => {
  const [from, id, to, bad, good] = [
    makePhoneNumber(),
    makeMessageId(),
    makePhoneNumber(),
    makeMessageId(),
    makeMessageId(),
  ];
  await network.post(
    200,
    buildNotification({ phone, field: 'account_update', value: { event: 'ACCOUNT_RECONNECTED' } }),
  );
  const echoes = [
    { id: bad, ...text('unreadable') },
    { id: good, ...text('fine') },
  ].map((message) => fillMessage({ from: '551133334444', to, timestamp: secondsAgo(9), ...message }));
  await network.post(200, buildNotification({ phone, field: 'smb_message_echoes', value: { message_echoes: echoes } }));
  await network.post(200, buildMessageNotification(phone, { from, id }));
  const read = (of: string): Json => ({ id: of, status: 'read', timestamp: secondsAgo(0), recipient_id: to });
  const edit = { type: 'edit', from, edit: { original_message_id: id, message: text('poison') } };
  const value = { statuses: [read(bad), read(good)], messages: [fillMessage(edit)] };
  await network.post(200, buildNotification({ phone, value }));
  assert.equal((await findStoredMessage(platform, phone, bad)).status, 'SENT');
  assert.equal((await findStoredMessage(platform, phone, good)).status, 'READ');
  assert.equal((await findStoredMessage(platform, phone, id)).content, 'Oi');
  assert.deepEqual(
    (await findAsides(bad)).map(({ raw }) => raw.kind),
    ['status'],
  );
  assert.deepEqual(
    (await findAsides(id)).map(({ raw }) => raw.kind),
    ['edit'],
  );
});

test('a callback that cannot be stored does not keep callbacks that wait together with it from being stored', async () => {
  const ids = Array.from({ length: 30 }, () => makeMessageId());
  const callbacks = ids.map((id, index) =>
    buildMessageNotification(phone, { from: makePhoneNumber(), id, ...text(index % 3 === 0 ? 'poison' : 'fine') }),
  );
  await Promise.all(callbacks.map((body) => network.post(200, body)));
  const stored = await Promise.all(ids.map((id) => findStoredMessage(platform, phone, id)));
  assert.deepEqual(
    stored.map((message) => message !== null),
    ids.map((_, index) => index % 3 !== 0),
  );
});

test('elements that cannot be read are kept aside one by one, and the other elements of the callback are stored', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  const broken = [
    null,
    7,
    [],
    { from, timestamp: secondsAgo(0), type: 'text' },
    { from, id: makeMessageId(), timestamp: 'soon' },
  ];
  const before = (await findAsides('')).length;
  await network.post(200, buildNotification({ phone, value: { messages: [...broken, fillMessage({ from, id })] } }));
  assert.equal((await findStoredMessage(platform, phone, id)).content, 'Oi');
  assert.equal((await findAsides('')).length, before + broken.length);
});

test('elements that were kept aside or wait for their message are removed after the retention time, and not before', async () => {
  const { kit } = platform.running;
  const days = kit.config.CALLBACK_RETENTION_DAYS;
  const left = async (): Promise<string[]> =>
    (
      await platform.database.sql<{ name: string }>(
        `select reason as name from callbacks_aside where channel = 'AGED'
       union all select fingerprint from parked_updates where inbox_id = $1 order by 1`,
        [phone.inbox],
      )
    ).map(({ name }) => name);
  for (const [name, age] of [
    ['old', days + 1],
    ['young', days - 1],
  ] as const) {
    await platform.database.sql(
      `insert into callbacks_aside (_id, channel, reason, raw, created_at)
       values ($1, 'AGED', $2, '', now() - make_interval(days => $3))`,
      [newId(), `${name} aside`, age],
    );
    await platform.database.sql(
      `insert into parked_updates (company_id, _id, inbox_id, external_id, kind, happened_at, payload, fingerprint, created_at)
       values ($1, $2, $3, 'wamid.never', 'STATUS', now(), '{}', $4, now() - make_interval(days => $5))`,
      [phone.company, newId(), phone.inbox, `${name} parked`, age],
    );
  }
  assert.equal((await left()).length, 4);
  await purgeCallbacks(kit);
  assert.deepEqual(await left(), ['young aside', 'young parked']);
});

test('while the database is slow, at most one large callback per number and four in all wait; others get 503 and are stored once when repeated', async () => {
  const owner = new pg.Client({ connectionString: platform.database.ownerUrl });
  await owner.connect();
  const phones = await Promise.all(Array.from({ length: 5 }, () => connectPhone(platform)));
  await owner.query('begin; lock table messages in exclusive mode');
  const refused: Json[] = [];
  const sent: { id: string; raw: Buffer; status: Promise<number> }[] = [];
  const post = (to: Phone, padding: number): void => {
    const id = makeMessageId();
    const raw = Buffer.from(
      JSON.stringify(buildMessageNotification(to, { from: makePhoneNumber(), id, padding: 'x'.repeat(padding) })),
    );
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': network.sign(raw) };
    const status = fetch(`${platform.url}/hooks/wap`, { method: 'POST', body: raw, headers }).then(async (answer) => {
      const problem = (await answer.json()) as Json;
      if (answer.status === 503) refused.push(problem);
      return answer.status;
    });
    sent.push({ id, raw, status });
  };
  const [greedy, ...others] = phones;
  assert.ok(greedy && others[0]);
  for (let count = 0; count < 3; count += 1) post(greedy, 4_000_000);
  await waitUntil('those of one number that are too many', () => refused.length === 2);
  post(others[0], 0);
  for (const other of others) post(other, 4_000_000);
  await waitUntil('those of all numbers that are too many', () => refused.length === 3);
  await owner.query('commit');
  await owner.end();
  const statuses = await Promise.all(sent.map(({ status }) => status));
  assert.equal(statuses.filter((status) => status === 200).length, 5);
  assert.equal(statuses[3], 200);
  for (const { detail } of refused) assert.equal(detail, 'Too many callbacks are waiting');

  for (const { raw } of sent) await network.post(200, raw);
  const ids = sent.map(({ id }) => id);
  const rows = await platform.database.sql('select from messages where external_id = any($1)', [ids]);
  assert.equal(rows.length, ids.length);
});

test('a connection that breaks while it stores a callback makes no other callback fail', async (t) => {
  const other = await connectPhone(platform, { company: await platform.createCompany() });
  const from = makePhoneNumber();
  const post = (status: number, to: Phone): Promise<unknown> =>
    network.post(status, buildMessageNotification(to, { from, id: makeMessageId() }));
  await post(200, phone);
  const owner = new pg.Client({ connectionString: platform.database.ownerUrl });
  await owner.connect();
  t.after(() => owner.end());
  await owner.query(`begin; select from contacts where company_id = '${phone.company}' for update;
    select from conversations where company_id = '${phone.company}' for update`);
  const listWaiting = async (): Promise<{ pid: number }[]> =>
    platform.database.sql(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' order by xact_start`,
    );
  // No more than three transactions run at the same time, so the last callback waits until one of them ends.
  const waiting: Promise<unknown>[] = [];
  for (const status of [503, 200, 200]) {
    waiting.push(post(status, phone));
    await waitUntil('its transaction', async () => (await listWaiting()).length === waiting.length);
  }
  const last = post(200, other);
  await platform.call(200, 'GET', '/v1/inboxes');
  await owner.query('select pg_terminate_backend($1)', [(await listWaiting())[0]?.pid]);
  await Promise.all([waiting[0], last]);
  await owner.query('rollback');
  await Promise.allSettled(waiting);
});

/** Runs the work while no user but the superuser can connect to the database; all connections are ended first. */
async function withoutDatabase(work: () => Promise<void>): Promise<void> {
  const name = new URL(platform.database.url).pathname.slice(1);
  const url = new URL(platform.database.ownerUrl);
  url.pathname = '/postgres';
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  try {
    await owner.query(`alter database ${name} connection limit 0`);
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = 'parley'`,
      [name],
    );
    await work();
  } finally {
    await owner.query(`alter database ${name} connection limit -1`);
    await owner.end();
  }
}

test('while the database is away the network gets 503, and what it repeats is stored once', async () => {
  const id = makeMessageId();
  const body = buildMessageNotification(phone, { from: makePhoneNumber(), id });
  await withoutDatabase(async () => {
    const { headers, body: problem } = await network.post(503, body);
    assert.equal(problem.code, 'UNAVAILABLE');
    assert.equal(headers.get('retry-after'), '1');
    await network.post(503, 'not JSON');
    await network.post(401, body, { headers: {} });
  });
  await waitUntil('the platform is ready again', async () => (await fetch(`${platform.url}/health/ready`)).ok);
  await Promise.all([network.post(200, body), network.post(200, body)]);
  const message = await findStoredMessage(platform, phone, id);
  assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_RECEIVED']);
});
