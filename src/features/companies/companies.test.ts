/** Companies: global keys create and list them, a company reads and changes itself, and the operator suspends it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectPhone } from '../../../test/support/network.ts';
import {
  acceptInvitation,
  createPerson,
  freshEmail,
  logIn,
  logInto,
  PASSWORD,
  resetPassword,
  readMailToken,
  waitForMail,
} from '../../../test/support/people.ts';
import { startPlatform, type Answer, type CallOptions, type Json } from '../../../test/support/platform.ts';
import { checkAnswers500, checkAnswers503, expectProblem } from '../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, demo, globalKey: key, database } = platform;

const UNKNOWN_ID = 'f'.repeat(24);
const company = (more: object = {}): Json => ({
  name: 'Padaria Real',
  owner: { name: 'Ana Souza', email: freshEmail('owner') },
  ...more,
});

const create = (status: number, body: unknown, options: CallOptions = {}): Promise<Answer> =>
  call(status, 'POST', '/v1/companies', { key, body, ...options });
const read = (status: number, id: string, options: CallOptions = {}): Promise<Answer> =>
  call(status, 'GET', `/v1/companies/${id}`, { key, ...options });
const change = (status: number, id: string, body: unknown, options: CallOptions = {}): Promise<Answer> =>
  call(status, 'PATCH', `/v1/companies/${id}`, { key, body, ...options });

const DEFAULTS = {
  description: null,
  domains: [],
  site: null,
  general_config: { language: 'pt-BR', time_zone: 'America/Sao_Paulo', country: 'BR' },
  status: 'ACTIVE',
  agent_builder_mcp_enabled: false,
  client_mcp_servers_enabled: false,
  auto_join_enabled: false,
  subscription: {},
  document_type: null,
  document_number: null,
  payment_customer_id: null,
  billing_external: false,
  billing_partner: false,
  onboarding: {},
  attribution: {},
  limits: { stored_bytes: null },
  usage: { stored_bytes: 0, allowed_bytes: null },
  second_factor_required: false,
};

const EVERYTHING = {
  name: 'Padaria Imperial',
  description: 'Pães e bolos',
  domains: ['padaria.example', 'xn--po-lka.example'],
  site: 'https://padaria.example/início',
  general_config: { language: 'es', time_zone: 'America/Manaus', country: 'BR' },
  agent_builder_mcp_enabled: true,
  client_mcp_servers_enabled: true,
  auto_join_enabled: true,
  document_type: 'CNPJ',
  document_number: '12.345.678/0001-95',
  onboarding: { step: 3, done: ['inbox'], deep: { er: [null, 'ção'] } },
  attribution: { source: 'fair' },
};
const OPERATORS = {
  subscription: { plan: 'pro', seats: 5 },
  payment_customer_id: 'cus_123',
  billing_external: true,
  billing_partner: true,
  limits: { stored_bytes: 2 ** 50 },
};
const USAGE = { stored_bytes: 0, allowed_bytes: 2 ** 50 };

describe('creating a company', () => {
  test('creating a company answers 201 with the whole record and its defaults, and invites an owner who may do everything', async () => {
    const body = company();
    const made = (await create(201, body)).body;
    const { _id, createdAt, updatedAt, ...rest } = made;
    assert.match(_id, /^[0-9a-f]{24}$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, { company: _id, name: body.name, channels: [], agent_flows: [], ...DEFAULTS });
    assert.deepEqual((await read(200, _id)).body, made);
    const mail = await waitForMail(platform, body.owner.email);
    assert.equal(mail.subject, 'Seu acesso a Padaria Real no Parley');
    await resetPassword(platform, 200, readMailToken(mail), PASSWORD);
    const session = (await logIn(platform, 200, body.owner.email)).body;
    assert.deepEqual([session.user.company, session.user.role, session.user.name], [_id, 'OWNER', 'Ana Souza']);
    assert.deepEqual((await read(200, _id, { key: session.access_token })).body, made);
    await call(200, 'GET', '/v1/api-keys', { key: session.access_token });
  });

  test('a company can be created with every writable field and with the language of its owner', async () => {
    const owner = { name: 'Ana', email: freshEmail('owner'), language: 'en' };
    const { body } = await create(201, company({ ...EVERYTHING, ...OPERATORS, owner }));
    const { _id, createdAt: _c, updatedAt: _u, ...rest } = body;
    const expected = {
      company: _id,
      channels: [],
      agent_flows: [],
      status: 'ACTIVE',
      usage: USAGE,
      second_factor_required: false,
    };
    assert.deepEqual(rest, { ...expected, ...EVERYTHING, ...OPERATORS });
    assert.equal((await waitForMail(platform, owner.email)).subject, 'Your access to Padaria Imperial on Parley');
  });

  test('an owner without a language is invited in the language of the company', async () => {
    const email = freshEmail('owner');
    const general_config = { language: 'es', time_zone: 'America/Manaus' };
    await create(201, company({ general_config, owner: { name: 'Eva', email } }));
    assert.match(String((await waitForMail(platform, email)).subject), /^Su acceso a /);
  });

  test('a new company gets the country of its time zone, or else of its language, unless the request names one or null', async () => {
    for (const [general_config, country] of [
      [{ time_zone: 'Europe/Lisbon' }, 'PT'],
      [{ time_zone: 'America/Manaus', language: 'es' }, 'BR'],
      [{ time_zone: 'UTC', language: 'pt-BR' }, 'BR'],
      [{ time_zone: 'UTC', language: 'es' }, null],
      [{ time_zone: 'Europe/Lisbon', country: 'ES' }, 'ES'],
      [{ time_zone: 'Europe/Lisbon', country: null }, null],
    ] as const) {
      const { body } = await create(201, company({ general_config }));
      assert.equal(body.general_config.country, country, JSON.stringify(general_config));
    }
  });

  test('the company of the first start is in Brazil, like its time zone', async () => {
    assert.equal((await read(200, demo._id)).body.general_config.country, 'BR');
  });

  test('a company keeps its country when its time zone changes', async () => {
    const own = await platform.createCompany();
    const { body } = await change(200, own._id, { general_config: { time_zone: 'Europe/Lisbon', language: 'en' } });
    assert.equal(body.general_config.country, 'BR');
    await change(200, own._id, { general_config: { country: null } });
    assert.equal(
      (await change(200, own._id, { general_config: { language: 'es' } })).body.general_config.country,
      null,
    );
  });

  test('an owner who belongs to another company is invited to the new company like any other person', async () => {
    const person = await createPerson(platform, demo._id, 'VIEWER');
    const { body } = await create(201, company({ owner: { name: 'Ana', email: person.email } }));
    const mail = await waitForMail(platform, person.email);
    await acceptInvitation(platform, 200, readMailToken(mail));
    const session = (await logInto(platform, 200, person.email, body._id)).body;
    assert.deepEqual([session.user.company, session.user.role], [body._id, 'OWNER']);
  });

  test('only a global key with the scope creates companies; company keys and users are answered 403', async () => {
    const owner = await platform.createUser(demo._id, 'OWNER');
    const reader = await platform.createKey(null, ['companies:read']);
    for (const token of [demo.key, owner.token, reader.token]) {
      expectProblem(await create(403, company(), { key: token }), 'FORBIDDEN');
    }
    expectProblem(await create(401, company(), { key: null }), 'UNAUTHORIZED');
    const maker = await platform.createKey(null, ['companies:create']);
    await create(201, company(), { key: maker.token });
  });
});

describe('the list of companies', () => {
  test('a global key lists all companies, the newest first, in pages, by status, and by a part of the name in any case and with or without accents', async () => {
    const names = ['Alfa Search', 'beta sEARCH', '100% Search_', 'São Gamma'];
    const made: Json[] = [];
    for (const name of names) made.push((await create(201, company({ name }))).body);
    await change(200, made[0]._id, { status: 'SUSPENDED' });
    const list = async (query: string): Promise<Json> =>
      (await call(200, 'GET', `/v1/companies?${query}`, { key })).body;
    const found = async (query: string): Promise<string[]> => (await list(query)).result.map(({ name }: Json) => name);
    assert.deepEqual((await found('')).slice(0, 4), names.toReversed());
    assert.deepEqual(await found('search=SEARCH&sort=createdAt'), names.slice(0, 3));
    assert.deepEqual(await found('search=search&status=SUSPENDED'), ['Alfa Search']);
    assert.deepEqual(await found('search=search&status=ACTIVE&sort=createdAt'), names.slice(1, 3));
    for (const literal of ['%25+', 'search_']) assert.deepEqual(await found(`search=${literal}`), ['100% Search_']);
    assert.deepEqual(await found('search=%25%25'), []);
    for (const spelling of ['sao', 'S%C3%83O']) assert.deepEqual(await found(`search=${spelling}`), ['São Gamma']);
    const [row] = await database.sql<{ count: number }>('select count(*)::int as count from companies');
    const total = row?.count ?? 0;
    const walked: string[] = [];
    for (let after = ''; ;) {
      const page = await list(`limit=2${after}`);
      assert.deepEqual([page.meta.totalCount, page.meta.totalPages], [total, Math.ceil(total / 2)]);
      walked.push(...page.result.map(({ _id }: Json) => _id));
      if (!page.meta.hasNextPage) break;
      after = `&after=${page.meta.nextCursor}`;
    }
    assert.equal(new Set(walked).size, total);
    assert.deepEqual((await list('page=2&limit=1&skipCount=true')).meta.totalCount, null);
    const [second] = (await list('page=2&limit=1')).result;
    assert.equal(second._id, walked[1]);
  });

  test('the list of companies is for global keys only', async () => {
    const owner = await platform.createUser(demo._id, 'OWNER');
    for (const token of [demo.key, owner.token]) {
      expectProblem(await call(403, 'GET', '/v1/companies', { key: token }), 'FORBIDDEN');
    }
    for (const [query, path] of [
      ['status=GONE', 'status'],
      ['limit=101', 'limit'],
      ['name=x', 'name'],
    ]) {
      expectProblem(await call(400, 'GET', `/v1/companies?${query}`, { key }), 'VALIDATION_FAILED', path);
    }
  });
});

describe('a company itself', () => {
  test('a company reads and changes its own record by key and by user, each with the scope for it', async () => {
    const own = await platform.createCompany();
    const admin = await platform.createUser(own._id, 'ADMIN');
    const viewer = await platform.createUser(own._id, 'VIEWER');
    for (const token of [own.key, admin.token]) {
      assert.equal((await change(200, own._id, { name: 'Renamed' }, { key: token })).body.name, 'Renamed');
    }
    assert.equal((await read(200, own._id, { key: viewer.token })).body.name, 'Renamed');
    expectProblem(await change(403, own._id, { name: 'x' }, { key: viewer.token }), 'FORBIDDEN');
    const reader = await platform.createKey(own._id, ['companies:read']);
    await read(200, own._id, { key: reader.token });
    await change(403, own._id, { name: 'x' }, { key: reader.token });
  });

  test('a request for another company gets the same bytes as one for a company that does not exist', async () => {
    const [own, other] = [await platform.createCompany(), await platform.createCompany()];
    for (const ask of [
      (id: string) => read(404, id, { key: own.key, headers: { 'x-company-id': id } }),
      (id: string) => change(404, id, { name: 'Taken' }, { key: own.key }),
      (id: string) => change(404, id, { status: 'SUSPENDED' }, { key: own.key }),
    ]) {
      const [foreign, unknown, malformed] = [await ask(other._id), await ask(UNKNOWN_ID), await ask('mine')];
      for (const { body } of [foreign, malformed]) {
        assert.deepEqual({ ...body, request_id: '' }, { ...unknown.body, request_id: '' });
      }
    }
    assert.equal((await read(200, other._id)).body.name, 'Other');
    for (const id of [UNKNOWN_ID, 'mine']) {
      expectProblem(await read(404, id), 'NOT_FOUND');
      expectProblem(await change(404, id, { name: 'x' }), 'NOT_FOUND');
    }
  });

  test('PATCH changes the given fields and leaves the rest; general_config is merged, other objects are replaced', async () => {
    const { _id } = await platform.createCompany();
    for (const [field, value] of Object.entries({ ...EVERYTHING, ...OPERATORS })) {
      assert.deepEqual((await change(200, _id, { [field]: value })).body[field], value);
    }
    const { createdAt, updatedAt, ...record } = (await read(200, _id)).body;
    assert.ok(updatedAt > createdAt);
    assert.deepEqual(record, {
      _id,
      company: _id,
      channels: [],
      agent_flows: [],
      ...DEFAULTS,
      ...EVERYTHING,
      ...OPERATORS,
      usage: USAGE,
      second_factor_required: false,
    });
    const { body } = await change(200, _id, { general_config: { language: 'en' }, onboarding: { step: 4 } });
    assert.deepEqual(body.general_config, { language: 'en', time_zone: 'America/Manaus', country: 'BR' });
    assert.deepEqual(body.onboarding, { step: 4 });
    const nulls = {
      description: null,
      site: null,
      document_type: null,
      document_number: null,
      payment_customer_id: null,
    };
    const cleared = (await change(200, _id, nulls)).body;
    for (const field of Object.keys(nulls)) assert.equal(cleared[field], null);
  });

  test('a company cannot change the fields that decide its status and billing: only a global key can', async () => {
    const own = await platform.createCompany();
    const owner = await platform.createUser(own._id, 'OWNER');
    for (const [field, value] of Object.entries({ status: 'SUSPENDED', ...OPERATORS })) {
      for (const token of [own.key, owner.token]) {
        const body = { name: 'Not this either', [field]: value };
        expectProblem(await change(403, own._id, body, { key: token }), 'FORBIDDEN', field);
      }
      assert.deepEqual((await change(200, own._id, { [field]: value })).body[field], value);
      if (field === 'status') await change(200, own._id, { status: 'ACTIVE' });
    }
    assert.equal((await read(200, own._id)).body.name, 'Other');
  });

  test('a company shows the channels of its active inboxes and its active agents', async () => {
    const own = await platform.createCompany();
    const first = await connectPhone(platform, { company: own });
    await connectPhone(platform, { company: own });
    const others = [
      { channel: 'WEB_V2', name: 'Site' },
      { channel: 'PROFESSIONAL_NETWORK', name: 'Network', status: 'DELETED' },
    ];
    for (const body of others) await call(201, 'POST', '/v1/inboxes', { key: own.key, body });
    await database.sql(
      `insert into agents (company_id, _id, name, status, type, url, specialist_url, created_at) values
        ($1, 'a00000000000000000000001', 'Second', 'ACTIVE', 'EXTERNAL', 'https://agent.example', 'https://one.example', now()),
        ($1, 'a00000000000000000000002', 'First', 'ACTIVE', 'AI', null, null, now() - interval '1 hour'),
        ($1, 'a00000000000000000000003', 'Gone', 'INACTIVE', 'AI', null, null, now())`,
      [own._id],
    );
    const { body } = await read(200, own._id, { key: own.key });
    assert.deepEqual(body.channels, ['WAP_AUTO_CLOSER', 'WEB_V2']);
    const nothing = { url: null, specialist_url: null };
    const links = { url: 'https://agent.example', specialist_url: 'https://one.example' };
    assert.deepEqual(body.agent_flows, [
      { _id: 'a00000000000000000000002', name: 'First', ...nothing, type: 'AI' },
      { _id: 'a00000000000000000000001', name: 'Second', ...links, type: 'EXTERNAL' },
    ]);
    await call(200, 'PUT', `/v1/inboxes/${first.inbox}`, { key: own.key, body: { status: 'DELETED' } });
    assert.deepEqual((await change(200, own._id, { description: 'x' })).body.channels, ['WAP_AUTO_CLOSER', 'WEB_V2']);
  });
});

describe('refused requests', () => {
  const WRONG: [string, ...unknown[]][] = [
    ['name', '', ' \t', null, 7, 'x'.repeat(201)],
    ['description', 7, 'x'.repeat(2_001)],
    ['domains', null, 'a.example', ['a.example', 'a.example'], Array.from({ length: 51 }, (_, n) => `a${n}.example`)],
    ['domains[0]', ['Upper.example'], ['https://a.example'], ['a'], ['-a.example'], ['a..example'], [7]],
    ['site', '', 'padaria.example', 'javascript:alert(1)', 'ftp://padaria.example', 'http://', 7],
    ['general_config', null, 'pt-BR'],
    ['general_config.language', { language: 'de' }, { language: null }],
    ['general_config.time_zone', { time_zone: 'Mars/Olympus' }, { time_zone: '' }, { time_zone: 'x'.repeat(65) }],
    ['general_config.country', { country: 'XX' }, { country: 'br' }, { country: '' }],
    ['general_config.surprise', { surprise: 1 }],
    ['status', 'GONE', null, ''],
    ['agent_builder_mcp_enabled', 'true', null, 1],
    ['auto_join_enabled', 'yes'],
    ['billing_external', 0],
    ['document_type', 'PASSPORT', ''],
    ['document_number', '', 'x'.repeat(33), 7],
    ['payment_customer_id', '', 'x'.repeat(201)],
    ['subscription', null, [], 'pro'],
    ['limits', null, 7],
    ['limits.stored_bytes', { stored_bytes: -1 }, { stored_bytes: '7' }, { stored_bytes: 1.5 }],
    ['limits.surprise', { surprise: 1 }],
    ['onboarding', [], 3],
    ['channels', ['EMAIL']],
    ['agent_flows', []],
    ['company', UNKNOWN_ID],
    ['_id', UNKNOWN_ID],
    ['createdAt', '2026-01-01T00:00:00.000Z'],
    ['surprise', 1],
  ];

  test('a wrong value in a company is refused with its field named, when it is created and when it is changed, and nothing is stored', async () => {
    const own = await platform.createCompany();
    const before = (await read(200, own._id)).body;
    const [row] = await database.sql('select count(*)::int as count from companies');
    for (const [path, ...values] of WRONG) {
      for (const value of values) {
        const field = path.replace(/[.[].*/, '');
        expectProblem(await create(400, company({ [field]: value })), 'VALIDATION_FAILED', path);
        expectProblem(await change(400, own._id, { [field]: value }, { key: own.key }), 'VALIDATION_FAILED', path);
      }
    }
    for (const [path, owner] of [
      ['owner', undefined],
      ['owner', null],
      ['owner.name', { email: freshEmail() }],
      ['owner.name', { name: ' ', email: freshEmail() }],
      ['owner.email', { name: 'Ana' }],
      ['owner.email', { name: 'Ana', email: 'ana' }],
      ['owner.language', { name: 'Ana', email: freshEmail(), language: 'de' }],
      ['owner.role', { name: 'Ana', email: freshEmail(), role: 'VIEWER' }],
    ] as const) {
      expectProblem(await create(400, company({ owner })), 'VALIDATION_FAILED', path);
    }
    expectProblem(await create(400, company({ name: undefined })), 'VALIDATION_FAILED', 'name');
    const owner = { name: 'Ana', email: freshEmail() };
    expectProblem(await change(400, own._id, { owner }), 'VALIDATION_FAILED', 'owner');
    assert.deepEqual((await read(200, own._id)).body, before);
    assert.deepEqual((await database.sql('select count(*)::int as count from companies'))[0], row);
  });

  test('each free-form object of a company holds at most 16 kB, counted in bytes', async () => {
    const { _id } = await platform.createCompany();
    for (const field of ['subscription', 'onboarding', 'attribution']) {
      const frame = Buffer.byteLength('{"text":""}');
      const full = { text: 'x'.repeat(16_384 - frame) };
      assert.deepEqual((await change(200, _id, { [field]: full })).body[field], full);
      for (const text of [`${full.text}x`, 'é'.repeat(8_192)]) {
        const problem = await change(400, _id, { [field]: { text } });
        expectProblem(problem, 'VALIDATION_FAILED', field);
        assert.equal(problem.body.errors[0].code, 'TOO_LARGE');
        expectProblem(await create(400, company({ [field]: { text } })), 'VALIDATION_FAILED', field);
      }
      await change(200, _id, { [field]: {} });
    }
  });

  test('a global key that names a company that does not exist is answered 404', async () => {
    const headers = { 'x-company-id': UNKNOWN_ID };
    expectProblem(await read(404, demo._id, { headers }), 'NOT_FOUND');
    expectProblem(await call(404, 'GET', '/v1/companies', { key, headers }), 'NOT_FOUND');
    expectProblem(await create(404, company(), { headers }), 'NOT_FOUND');
  });
});

describe('a suspended company', () => {
  test('the keys, sessions and log-ins of a suspended company are refused at once; the operator can change the company and activate it again', async () => {
    const own = await platform.createCompany();
    const owner = await createPerson(platform, own._id, 'OWNER');
    const headers = { 'x-company-id': own._id };
    const tokens = [own.key, owner.token];
    for (const token of tokens) await call(200, 'GET', '/v1/inboxes', { key: token });
    await call(200, 'GET', '/v1/inboxes', { key, headers });
    assert.equal((await change(200, own._id, { status: 'SUSPENDED' })).body.status, 'SUSPENDED');
    for (const token of tokens) {
      expectProblem(await call(401, 'GET', '/v1/inboxes', { key: token }), 'UNAUTHORIZED');
      await call(401, 'GET', '/v1/auth/me', { key: token });
    }
    await logIn(platform, 401, owner.email);
    const [suspended, unknown] = await Promise.all(
      [own._id, UNKNOWN_ID].map((id) => call(404, 'GET', '/v1/inboxes', { key, headers: { 'x-company-id': id } })),
    );
    assert.deepEqual({ ...suspended?.body, request_id: '' }, { ...unknown?.body, request_id: '' });
    assert.equal((await read(200, own._id)).body.status, 'SUSPENDED');
    assert.equal((await change(200, own._id, { name: 'Still managed' })).body.name, 'Still managed');
    await change(200, own._id, { status: 'ACTIVE' });
    for (const token of tokens) await call(200, 'GET', '/v1/inboxes', { key: token });
    await logIn(platform, 200, owner.email);
  });
});

describe('the audit of companies', () => {
  test('the audit log of a company records changes of the company, even when the global key names another company', async () => {
    const [own, other] = [await platform.createCompany(), await platform.createCompany()];
    await change(200, own._id, { name: 'Renamed', subscription: { plan: 'pro' } });
    await change(200, own._id, { description: 'x' }, { headers: { 'x-company-id': other._id } });
    const made = (await create(201, company(), { headers: { 'x-company-id': other._id } })).body;
    const readAudit = async (id: string): Promise<[string, string, string[]][]> => {
      const headers = { 'x-company-id': id };
      const { body } = await call(200, 'GET', '/v1/audit?sort=createdAt', { key, headers });
      return body.result.map((entry: Json) => [entry.action, entry.resource_id, entry.fields.join()]);
    };
    assert.deepEqual(await readAudit(own._id), [
      ['companies.update', own._id, 'name,subscription'],
      ['companies.update', own._id, 'description'],
    ]);
    assert.deepEqual(await readAudit(made._id), [['companies.create', made._id, 'name,owner']]);
    assert.deepEqual(await readAudit(other._id), []);
  });
});

test('the operations of companies answer 503 while the database does not answer, and 500 without details at a defect', async () => {
  const asked = [
    { method: 'GET', path: `/v1/companies/${demo._id}`, scope: 'companies:read' },
    { method: 'PATCH', path: `/v1/companies/${demo._id}`, scope: 'companies:update', body: { name: 'Demo' } },
  ];
  await checkAnswers503(platform, ['companies'], asked);
  await checkAnswers500(platform, 'companies.attribution', asked);
});
