import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { connectAs } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startPlatform, type Answer, type CallOptions, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { type Statement } from '../../platform/store/db.ts';
import { ROLES } from '../../platform/store/roles.ts';
import { importSheet, type FormParts } from '../../../test/support/sheets.ts';
import { sendText, writeAsContact } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow } from '../../platform/store/paging.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { purgeRequestData } from './audit.ts';
import { listAudit, type AuditFilter } from './queries.ts';

const platform = await startPlatform();
const { database, demo } = platform;
const PATH = '/v1/audit';
const SEGMENT_FILTER = { field: 'contact.name', operator: 'eq', value: 'Ana' };
const PASSWORD = 'correct horse battery';

async function audit(query: Record<string, string> = {}, options: CallOptions = {}): Promise<Json> {
  const { body } = await platform.call(
    200,
    'GET',
    `${PATH}?${new URLSearchParams({ limit: '100', ...query }).toString()}`,
    options,
  );
  return body;
}

const listLines = async (query: Record<string, string> = {}, options: CallOptions = {}): Promise<Json[]> =>
  (await audit(query, options)).result as Json[];
const countLines = async (): Promise<number> => (await audit({ limit: '1' })).meta.totalCount as number;

function invite(status: number, given: object = {}, options: CallOptions = {}): Promise<Answer> {
  const body = { name: 'Ana', email: `${newId()}@example.test`, role: 'VIEWER', ...given };
  return platform.call(status, 'POST', '/v1/users', { body, ...options });
}

describe('the line that a write leaves in the audit', () => {
  test('a write is recorded with its author, action, record, address and changed fields, but without values', async () => {
    const key = await platform.createKey(demo._id, ['*']);
    const headers = { 'user-agent': 'integration/1.2', 'x-request-id': `request-${newId()}` };
    const { body } = await invite(201, { name: 'Planted Name' }, { key: key.token, headers });
    const lines = await listLines({ resource: body._id });
    assert.equal(lines.length, 1);
    const { _id, createdAt, updatedAt, ...line } = lines[0];
    assert.match(_id, /^[0-9a-f]{24}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(line, {
      company: demo._id,
      actor: { type: 'KEY', _id: key._id, name: 'test' },
      action: 'users.create',
      resource: 'users',
      resource_id: body._id,
      resource_name: 'Planted Name',
      fields: ['name', 'email', 'role'],
      address: '127.0.0.1',
      user_agent: 'integration/1.2',
      request_id: headers['x-request-id'],
      ai: null,
      via: null,
    });
    const [stored] = await database.sql<{ row: string }>('select a::text as row from audit_log a where _id = $1', [
      _id,
    ]);
    for (const value of ['Planted Name', body.email, key.token]) assert.ok(!stored?.row.includes(value), value);
  });

  test('each change and the removal of a record are recorded', async () => {
    const { token: key, _id: user } = await platform.createUser(demo._id, 'ADMIN', 'Ada Admin');
    const { body } = await invite(201, {}, { key });
    const path = `/v1/users/${body._id}`;
    await platform.call(200, 'PATCH', path, { key, body: { name: 'Bea', language: 'en' } });
    await platform.call(200, 'DELETE', path, { key });
    const lines = await listLines({ resource: body._id, sort: 'createdAt' });
    assert.deepEqual(
      lines.map(({ action, fields }) => [action, fields]),
      [
        ['users.create', ['name', 'email', 'role']],
        ['users.update', ['name', 'language']],
        ['users.delete', []],
      ],
    );
    for (const { actor } of lines) assert.deepEqual(actor, { type: 'USER', _id: user, name: 'Ada Admin' });
  });

  test('a write of a global key is recorded for the company that it acts for, or for none when the record belongs to none', async () => {
    const company = await platform.createCompany();
    const global = await platform.createKey(null, ['*']);
    const asked = { key: global.token, headers: { 'x-company-id': company._id } };
    const { body } = await invite(201, {}, asked);
    const made = await platform.call(201, 'POST', '/v1/api-keys', {
      key: global.token,
      body: { name: 'Other', type: 'global', scopes: ['*'] },
    });
    const [line, ...rest] = await listLines({ actor: global._id }, { key: company.key });
    assert.equal(line.resource_id, body._id);
    assert.deepEqual(rest, []);
    const rows = await database.sql('select company_id, action from audit_log where resource_id = $1', [made.body._id]);
    assert.deepEqual(rows, [{ company_id: null, action: 'api-keys.create' }]);
  });

  test('requests that only read, or that are refused, are not recorded', async () => {
    const before = await countLines();
    await platform.call(200, 'GET', '/v1/users');
    await invite(400, { role: 'KING' });
    await invite(401, {}, { key: null });
    await invite(403, {}, { key: (await platform.createKey(demo._id, ['users:read'])).token });
    await platform.call(404, 'PATCH', `/v1/users/${newId()}`, { body: { name: 'Nobody' } });
    const email = `${newId()}@example.test`;
    await invite(201, { email });
    await invite(409, { email });
    assert.equal(await countLines(), before + 1);
  });

  test('an entry names its record as it is called now, for callers who may read it', async () => {
    const { key, _id: company } = await platform.createCompany();
    const { token: blind } = await platform.createKey(company, ['audit:read']);
    const { body: team } = await platform.call(201, 'POST', '/v1/teams', { key, body: { name: 'Sales' } });
    const say = async (by: string): Promise<unknown[]> =>
      (await listLines({ resource: team._id }, { key: by })).map((line) => line.resource_name);
    assert.deepEqual([await say(key), await say(blind)], [['Sales'], [null]]);
    await platform.call(200, 'PATCH', `/v1/teams/${team._id}`, { key, body: { name: 'Support' } });
    assert.deepEqual(await say(key), ['Support', 'Support']);
  });

  test('an entry about a conversation or a message names its contact until the contact is erased', async () => {
    const { conversation, contact } = await writeAsContact(platform);
    await sendText(platform, conversation._id);
    const { name } = conversation.contact_summary;
    const [line] = await listLines({ action: 'messages.create', limit: '1' });
    assert.equal(line.resource_name, name);
    const change = { priority: 'HIGH' };
    await platform.call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: change });
    const about = { resource: conversation._id };
    assert.equal((await listLines(about))[0].resource_name, name);
    await platform.call(200, 'DELETE', `/v1/contacts/${contact._id}`);
    assert.equal((await listLines(about))[0].resource_name, null);
  });

  test('a shared segment is named for callers who may read contacts, a shared view for those who may read conversations', async () => {
    const { key, _id: company } = await platform.createCompany();
    const body = { name: 'Mine', is_shared: true, filters: {} };
    await platform.call(201, 'POST', '/v1/views', { key, body });
    await platform.call(201, 'POST', '/v1/segments', {
      key,
      body: { ...body, filters: { filters: JSON.stringify([SEGMENT_FILTER]) } },
    });
    const say = async (scope: string): Promise<unknown[]> => {
      const { token } = await platform.createKey(company, ['audit:read', scope]);
      const lines = await Promise.all(['views', 'segments'].map((resource) => listLines({ resource }, { key: token })));
      return lines.flat().map((line) => line.resource_name);
    };
    assert.deepEqual(await say('contacts:read'), [null, 'Mine']);
    assert.deepEqual(await say('conversations:read'), ['Mine', null]);
  });

  test('an entry names imports by their file, rows by their table and number, and templates', async () => {
    const { key } = await platform.createCompany();
    const columns = [{ key: 'product', title: 'Product', type: 'TEXT' }];
    const { body: table } = await platform.call(201, 'POST', '/v1/tables', { key, body: { name: 'Orders', columns } });
    const data = { product: 'Cake' };
    await platform.call(201, 'POST', `/v1/tables/${table._id}/rows`, { key, body: { data } });
    const sheet = (name: string, text: string): FormParts => ({ file: { name, data: text } });
    await importSheet(platform, `/v1/tables/${table._id}/import`, sheet('orders.csv', 'product\nBread\n'), { key });
    await importSheet(platform, '/v1/contacts/import', sheet('people.csv', 'email\nana@example.test\n'), { key });
    const names = async (action: string, by = key): Promise<unknown[]> =>
      (await listLines({ action }, { key: by })).map((line) => line.resource_name);
    assert.deepEqual(await names('tables.create-row'), ['Orders #1']);
    assert.deepEqual(await names('tables.import'), ['orders.csv']);
    assert.deepEqual(await names('contacts.import'), ['people.csv']);
    const template = { name: 'named_here', language: 'pt_BR', category: 'UTILITY' };
    const path = `/v1/inboxes/${demo.inbox}/templates`;
    await platform.call(201, 'POST', path, { body: { ...template, components: [{ type: 'BODY', text: 'Oi' }] } });
    assert.deepEqual(await names('templates.create', demo.key), ['named_here']);
  });

  test('a change whose audit line cannot be written does not happen', async () => {
    await database.sql(`alter table audit_log add constraint mute check (action <> 'users.create') not valid`);
    const email = `${newId()}@example.test`;
    try {
      expectProblem(await invite(500, { email }), 'INTERNAL_ERROR');
    } finally {
      await database.sql('alter table audit_log drop constraint mute');
    }
    assert.deepEqual(await database.sql('select _id from users where email = $1', [email]), []);
    await invite(201, { email });
  });

  test('an audit line keeps at most 300 characters of the user agent', async () => {
    const headers = { 'user-agent': 'x'.repeat(4_000) };
    const { body } = await invite(201, {}, { headers });
    const [line] = await listLines({ resource: body._id });
    assert.equal(line.user_agent, 'x'.repeat(300));
  });
});

describe('a log-in', () => {
  const logIn = (status: number, email: string, password: string): Promise<Answer> =>
    platform.call(status, 'POST', '/v1/auth/login', { key: null, body: { email, password } });

  test('a log-in and a failed log-in are recorded, but not a try with an e-mail that no account has', async () => {
    const user = await platform.createUser(demo._id, 'OPERATOR', 'Otto');
    const [row] = await database.sql<{ email: string }>('select email from users where _id = $1', [user._id]);
    await logIn(200, row?.email ?? '', PASSWORD);
    await logIn(401, row?.email ?? '', 'planted-wrong-password');
    // The answer to a refused log-in is sent before its audit line is stored, so the test waits for both lines.
    const lines = await waitUntil('both lines', async () => {
      const found = await listLines({ resource: user._id });
      return found.length === 2 && found;
    });
    const before = await countLines();
    await logIn(401, `${newId()}@example.test`, PASSWORD);
    assert.equal(await countLines(), before);
    assert.deepEqual(
      lines.map(({ action, resource, resource_id, fields }) => ({ action, resource, resource_id, fields })),
      ['auth.login-refused', 'auth.login'].map((action) => ({
        action,
        resource: 'auth',
        resource_id: user._id,
        fields: [],
      })),
    );
    for (const line of lines) {
      const own = { type: 'USER', _id: user._id, name: 'Otto' };
      const somebody = { type: 'SYSTEM', _id: null, name: 'Someone without a token' };
      assert.deepEqual(line.actor, line.action === 'auth.login' ? own : somebody);
      assert.equal(line.address, '127.0.0.1');
      assert.ok(line.request_id.length > 0);
    }
    const [planted] = await database.sql<{ count: number }>(
      `select count(*)::int as count from audit_log a where a::text like '%planted-wrong-password%'`,
    );
    assert.equal(planted?.count, 0);
  });
});

describe('the list of the audit', () => {
  test('the audit is filtered by actor, action, kind of record, record and time, alone and together', async () => {
    const company = await platform.createCompany();
    const { key, keyId } = company;
    const first = (await invite(201, {}, { key })).body;
    const admin = await platform.createUser(company._id, 'ADMIN');
    const second = (await invite(201, {}, { key: admin.token })).body;
    await platform.call(200, 'PATCH', `/v1/users/${first._id}`, { key, body: { name: 'Bea' } });
    await platform.call(201, 'POST', '/v1/api-keys', {
      key,
      body: { name: 'Small', type: 'company', scopes: ['contacts:read'] },
    });
    const all = await listLines({}, { key });
    assert.equal(all.length, 4);
    // The lines get times a minute apart, the newest first.
    await database.sql(
      `update audit_log a set created_at = date_trunc('hour', now()) - n * interval '1 minute'
        from unnest($1::text[]) with ordinality as given (id, n) where a._id = given.id`,
      [all.map((line) => line._id as string)],
    );
    const [, , middle] = await listLines({}, { key });
    const moment = middle.createdAt as string;
    for (const [query, expected] of [
      [{ actor: keyId }, [0, 1, 3]],
      [{ actor: admin._id }, [2]],
      [{ actor: newId() }, []],
      [{ action: 'users.create' }, [2, 3]],
      [{ action: 'users' }, []],
      [{ resource: 'users' }, [1, 2, 3]],
      [{ resource: first._id }, [1, 3]],
      [{ resource: second._id }, [2]],
      [{ from: moment }, [0, 1, 2]],
      [{ to: moment }, [3]],
      [{ from: moment, to: moment }, []],
      [{ actor: keyId, action: 'users.create' }, [3]],
      [{ actor: keyId, resource: first._id, from: moment }, [1]],
      [{ actor: admin._id, action: 'users.create', resource: 'users', from: moment }, [2]],
    ] as const) {
      const page = await audit(query, { key });
      const ids = (page.result as Json[]).map((line) => all.findIndex(({ _id }) => _id === line._id));
      assert.deepEqual(ids, expected, JSON.stringify(query));
      assert.equal(page.meta.totalCount, expected.length, JSON.stringify(query));
    }
  });

  test('the audit is listed in pages and by cursors, in both orders, without losing or repeating a line', async () => {
    const company = await platform.createCompany();
    for (let n = 0; n < 7; n += 1) await invite(201, {}, { key: company.key });
    // Some lines get the same time, so that the id decides their order.
    await database.sql(`update audit_log set created_at = date_trunc('minute', created_at) where company_id = $1`, [
      company._id,
    ]);
    const newestFirst = (await listLines({}, { key: company.key })).map(({ _id }) => _id as string);
    assert.equal(newestFirst.length, 7);
    for (const sort of ['-createdAt', 'createdAt']) {
      const walked: string[] = [];
      for (let after = ''; ;) {
        const query = { limit: '3', sort, action: 'users.create', ...(after ? { after } : {}) };
        const { result, meta } = await audit(query, { key: company.key });
        walked.push(...(result as Json[]).map(({ _id }) => _id as string));
        assert.equal(meta.totalCount, 7);
        if (!meta.hasNextPage) break;
        after = meta.nextCursor as string;
      }
      assert.deepEqual(walked, sort === 'createdAt' ? newestFirst.toReversed() : newestFirst);
    }
    const second = await listLines({ limit: '3', page: '2' }, { key: company.key });
    assert.deepEqual(
      second.map(({ _id }) => _id as string),
      newestFirst.slice(3, 6),
    );
    assert.equal((await audit({ skipCount: 'true' }, { key: company.key })).meta.totalCount, null);
  });

  test('the audit is read by owners and admins, and shows the lines of their own company only', async () => {
    const other = await platform.createCompany();
    const { body } = await invite(201, {}, { key: other.key });
    assert.deepEqual(await listLines({ resource: body._id }), []);
    assert.deepEqual(await listLines({ actor: other.keyId }), []);
    for (const [role, status] of [
      ['OWNER', 200],
      ['ADMIN', 200],
      ['OPERATOR', 403],
      ['VIEWER', 403],
    ] as const) {
      await platform.call(status, 'GET', PATH, { key: (await platform.createUser(demo._id, role)).token });
    }
    await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'audit:read' });
    for (const [query, path] of [
      ['actor=nobody', 'actor'],
      ['action=', 'action'],
      ['resource=', 'resource'],
      ['from=yesterday', 'from'],
      ['to=2026-13-01T00:00:00Z', 'to'],
      ['limit=101', 'limit'],
      ['after=nonsense', 'after'],
    ] as const) {
      expectProblem(await platform.call(400, 'GET', `${PATH}?${query}`), 'VALIDATION_FAILED', path);
    }
  });
});

describe('lines of the audit', () => {
  test('no database role may change an audit line, and only the system role may delete lines', async () => {
    await invite(201);
    const denied = async (role: string, text: string): Promise<void> => {
      const client = await connectAs(role, database);
      try {
        await client.query(`begin; set local app.company_id = '${demo._id}'`);
        // PostgreSQL answers 42501 when the privilege is missing.
        await assert.rejects(client.query(text), { code: '42501' }, `${role}: ${text}`);
      } finally {
        await client.end();
      }
    };
    for (const role of Object.values(ROLES)) {
      await denied(role, `update audit_log set actor_name = 'somebody else'`);
      await denied(role, 'truncate audit_log');
      if (role !== ROLES.system) await denied(role, 'delete from audit_log');
    }
    await denied(
      ROLES.read,
      `insert into audit_log (_id, actor_type, actor_name, action, resource) values ('1', 'USER', '', '', '')`,
    );
    // The database role of requests may only insert lines of the request's own company.
    await denied(
      ROLES.app,
      `insert into audit_log (_id, company_id, actor_type, actor_name, action, resource)
        values ('1', '${newId()}', 'USER', 'x', 'users.create', 'users')`,
    );
  });

  test('audit lines are deleted after AUDIT_RETENTION_DAYS, however many there are, and not a day before', async () => {
    const company = await platform.createCompany();
    const days = platform.running.kit.config.AUDIT_RETENTION_DAYS;
    // The purge deletes 5,000 lines at a time, so 11,000 lines take more than two rounds.
    await database.sql(
      `insert into audit_log (_id, company_id, actor_type, actor_name, action, resource, created_at)
        select 'old' || n, $1, 'SYSTEM', 'test', 'users.create', 'users', now() - make_interval(days => $2, mins => 1)
        from generate_series(1, 11000) n`,
      [company._id, days],
    );
    await database.sql(
      `insert into audit_log (_id, company_id, actor_type, actor_name, action, resource, created_at)
        values ($3, $1, 'SYSTEM', 'test', 'users.create', 'users', now() - make_interval(days => $2) + interval '1 minute')`,
      [company._id, days, newId()],
    );
    await purgeRequestData(platform.running.kit);
    assert.equal((await audit({}, { key: company.key })).meta.totalCount, 1);
  });
});

describe('an audit with many lines', () => {
  // Measured with 300,000 lines: each of these pages takes less than 0.1 ms, a walk through all of them 90 ms.
  const LINES = 50_000;
  const NOTHING: AuditFilter = { actor: null, action: null, resource: null, resourceId: null, from: null, to: null };
  const NEWEST = pageWindow('audit', { limit: 20, skipCount: false, sort: '-createdAt' });

  /** Fills the log of one company, in which one actor and one record are rare, and of another company that has hardly any lines. */
  async function fill(): Promise<{ company: string; quiet: string; actor: string; record: string }> {
    const { _id: company } = await platform.createCompany();
    const { _id: quiet } = await platform.createCompany();
    const [actor, record] = [newId(), newId()];
    await database.sql(
      `insert into audit_log (_id, company_id, actor_type, actor_id, actor_name, action, resource, resource_id, created_at)
        select lpad(to_hex(n), 24, '0'), case when n % 10000 = 5 then $5 else $1 end, 'KEY',
          case when n = 7 then $2 else 'busy' || n % 5 end, 'test', 'messages.create', 'messages',
          case when n = 9 then $3 else 'record' || n % 10000 end, now() - n * interval '1 second'
        from generate_series(1, $4::int) n`,
      [company, actor, record, LINES, quiet],
    );
    await database.sql('analyze audit_log');
    return { company, quiet, actor, record };
  }

  /** Builds the list and count statements for a filter without running them. */
  async function statementsFor(companyId: string, part: Partial<AuditFilter>): Promise<Statement[]> {
    const statements: Statement[] = [];
    const query = async (statement: Statement): Promise<unknown[]> => {
      statements.push(statement);
      return [{ count: 0 }];
    };
    const tx = { companyId, query } as unknown as TenantRead;
    await listAudit(tx, { ...NOTHING, ...part }, NEWEST);
    return statements;
  }

  /** The reads of a plan in all partitions. */
  const listReads = (node: Json): Json[] => (node.Plans ? (node.Plans as Json[]).flatMap(listReads) : [node]);

  /** Which indexes the query uses and how many lines it reads, planned once for these values and once for any values. */
  async function explainReads(
    client: pg.Client,
    { text, values }: Statement,
  ): Promise<{ indexes: string[]; lines: number }[]> {
    const given = (values as (string | number | null)[])
      .map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))))
      .join(', ');
    const reads = [];
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}; deallocate all; prepare asked as ${text}`);
      const { rows } = await client.query<Json>(`explain (analyze, format json) execute asked (${given})`);
      const leaves = listReads(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Actual Rows'] > 0);
      const { rows: indexes } = await client.query<{ index: string }>(
        `select distinct inhparent::regclass::text as index from pg_inherits
          where inhrelid = any(array(select to_regclass(name) from unnest($1::text[]) name))`,
        [leaves.map((node) => node['Index Name'])],
      );
      const lines = leaves.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
      reads.push({ indexes: indexes.map(({ index }) => index), lines: lines.reduce((sum, count) => sum + count) });
    }
    return reads;
  }

  test('a page of the audit reads only its own lines, through the index of its actor, record or company', async () => {
    const { company, quiet, actor, record } = await fill();
    const client = await connectAs(ROLES.read, database);
    const from = new Date(Date.now() - 60_000).toISOString();
    try {
      for (const [of, part, index, most] of [
        [company, { actor }, 'audit_log_actor', 1],
        [company, { resourceId: record }, 'audit_log_resource', 1],
        [company, { actor, action: 'messages.create' }, 'audit_log_actor', 1],
        [company, { actor, from }, 'audit_log_actor', 1],
        [company, {}, 'audit_log_list', NEWEST.limit],
        [quiet, {}, 'audit_log_list', LINES / 10_000],
      ] as const) {
        const [list, count] = await statementsFor(of, part);
        assert.ok(list && count);
        // Without a filter the count has to read all lines of the company, so its index does not matter.
        for (const statement of 'actor' in part || 'resourceId' in part ? [list, count] : [list]) {
          for (const read of await explainReads(client, statement)) {
            assert.deepEqual(read.indexes, [index], statement.name);
            assert.ok(read.lines <= most, `${statement.name} read ${read.lines} lines of ${LINES}`);
          }
        }
      }
    } finally {
      await client.end();
    }
  });
});
