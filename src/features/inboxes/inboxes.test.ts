/** Tests the records of inboxes: the fields that each channel needs, the rule for each field, references and states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../platform/values/ids.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const foreign = await platform.createCompany();

let lastNumber = 500_000_000_000_000;
const networkId = (): string => String((lastNumber += 1));
const wap = (extra: Record<string, unknown> = {}) => ({
  phone_number_id: networkId(),
  business_id: '2',
  waba_id: '3',
  ...extra,
});
const partner = (extra: Record<string, unknown> = {}) => ({
  base_url: 'http://127.0.0.1:9009',
  api_key: 'partner-key-1234',
  instance_name: `instance-${networkId()}`,
  ...extra,
});
const MAILBOX = {
  address: 'support@shop.example',
  smtp_url: 'smtps://127.0.0.1:9',
  imap_url: 'imaps://127.0.0.1:9',
  username: 'support',
  password: 'a-password-1234',
};
const HOURS = { name: 'Shop', time_zone: 'America/Sao_Paulo', days: [{ day: 'MON', from: '09:00', to: '18:00' }] };
const PLAIN = { channel: 'PROFESSIONAL_NETWORK', name: 'Site' };
const wapInbox = (extra: Record<string, unknown> = {}) => ({
  channel: 'WAP_AUTO_CLOSER',
  name: 'Phone',
  number: '+5511900000000',
  api_wap_config: wap(),
  ...extra,
});

const create = async (body: unknown): Promise<Json> => (await call(201, 'POST', '/v1/inboxes', { body })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/inboxes/${id}`)).body;
const put = async (id: string, body: unknown): Promise<Json> =>
  (await call(200, 'PUT', `/v1/inboxes/${id}`, { body })).body;
const listPaths = (body: Json): string[] => body.errors.map((error: Json) => error.path);

async function createAgent(company: string): Promise<string> {
  const id = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Ada')`, [company, id]);
  return id;
}

test('POST of an inbox answers 201 with the record, in which required fields are present and empty optional ones are left out', async () => {
  const { _id, createdAt, updatedAt, ...rest } = await create(PLAIN);
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updatedAt, createdAt);
  assert.deepEqual(rest, {
    ...PLAIN,
    door_name: 'site',
    company: demo._id,
    number: '',
    status: 'ACTIVE',
    test_mode: { enabled: false, test_numbers: [] },
    general_config: { include_operator_name_on_message: false },
    coexistence_enabled: false,
    history: null,
    process_unsupported_messages: false,
    disable_inbound_ai: false,
    pdf_local_text_extraction: false,
    reopen_days: 0,
    default_owner: null,
    default_team: null,
    business_hours: null,
    away_text: null,
    csat_question: null,
    members: null,
    connection: { status: 'PENDING', checked_at: null, error: null },
    has_templates: false,
  });
  assert.deepEqual(await read(_id), { _id, createdAt, updatedAt, ...rest });
});

test('POST of an inbox accepts every documented field and answers with it', async () => {
  const default_owner = (await platform.createUser(demo._id, 'OPERATOR'))._id;
  const api_wap_config = wap();
  const fields = {
    ...wapInbox(),
    webhook_url: 'https://hooks.example.com/wap?x=1',
    default_agent: await createAgent(demo._id),
    default_owner,
    default_team: (await call(201, 'POST', '/v1/teams', { body: { name: 'Orders' } })).body._id,
    business_hours: (await call(201, 'POST', '/v1/business-hours', { body: HOURS })).body._id,
    away_text: 'Closed until tomorrow',
    csat_question: 'How did we do?',
    members: { users: [default_owner], teams: [] },
    test_mode: { enabled: true, test_numbers: ['+5511988887777'] },
    general_config: { include_operator_name_on_message: true },
    status: 'DELETED',
    process_unsupported_messages: true,
    disable_inbound_ai: true,
    pdf_local_text_extraction: true,
    reopen_days: 30,
  };
  const inbox = await create({ ...fields, api_wap_config });
  const { _id, createdAt, updatedAt, connection, door_name } = inbox;
  assert.deepEqual(inbox, {
    ...fields,
    door_name,
    _id,
    createdAt,
    updatedAt,
    connection,
    api_wap_config: { ...api_wap_config, business_token: null },
    company: demo._id,
    coexistence_enabled: false,
    history: null,
    has_templates: true,
  });
});

test('the door_name of an inbox is unique among active ones: chosen by itself it differs, and a chosen one that is taken answers 409', async () => {
  const instance = `shop ${networkId()}`;
  const fields = { channel: 'PARTNER_API', name: 'Loja', number: '+551133334444' };
  const partnerInbox = () =>
    create({
      ...fields,
      partner_api_config: partner({ base_url: `http://127.0.0.1:${networkId().slice(-4)}`, instance_name: instance }),
    });
  const [first, second] = [await partnerInbox(), await partnerInbox()];
  assert.deepEqual([first.door_name, second.door_name], [instance, `${instance}_2`]);
  const [loja, other] = [await create({ ...PLAIN, name: 'Atenção!' }), await create({ ...PLAIN, name: 'atencao' })];
  assert.deepEqual([loja.door_name, other.door_name], ['atencao', 'atencao_2']);
  const refused = await call(409, 'PUT', `/v1/inboxes/${other._id}`, { body: { door_name: 'atencao' } });
  assert.deepEqual([refused.body.code, refused.body.existing_id], ['INSTANCE_EXISTS', loja._id]);
  assert.equal((await put(other._id, { door_name: 'front desk' })).door_name, 'front desk');
  assert.deepEqual(
    (await call(200, 'GET', '/v1/inboxes?door_name=front+desk')).body.result.map(({ _id }: Json) => _id),
    [other._id],
  );
  // A closed inbox leaves its name to others, and gets another one when it is opened again.
  await put(loja._id, { status: 'DELETED' });
  await put(other._id, { door_name: 'atencao' });
  assert.equal((await put(loja._id, { status: 'ACTIVE' })).door_name, 'atencao_2');
});

test('each channel requires its settings and its number, and the error names the missing one', async () => {
  const missing: [Record<string, unknown>, string][] = [
    [{ channel: 'WAP_AUTO_CLOSER', name: 'a' }, 'api_wap_config'],
    [{ channel: 'WAP_AUTO_CLOSER', name: 'a', number: '+551133334444' }, 'api_wap_config'],
    [{ channel: 'WAP_AUTO_CLOSER', name: 'a', api_wap_config: wap() }, 'number'],
    [
      { channel: 'WAP_AUTO_CLOSER', name: 'a', number: '+551133334444', partner_api_config: partner() },
      'api_wap_config',
    ],
    [{ channel: 'PARTNER_API', name: 'a', number: '+551133334444' }, 'partner_api_config'],
    [{ channel: 'PARTNER_API', name: 'a', partner_api_config: partner() }, 'number'],
    [{ channel: 'EMAIL', name: 'a' }, 'email_config'],
  ];
  for (const [body, path] of missing) {
    const answer = await call(400, 'POST', '/v1/inboxes', { body });
    assert.equal(answer.body.code, 'CHANNEL_CONFIG_REQUIRED');
    assert.deepEqual(listPaths(answer.body), [path]);
  }
  for (const channel of ['WEB_V2', 'PROFESSIONAL_NETWORK']) await create({ channel, name: channel });
  await create(wapInbox());
  await create({ channel: 'PARTNER_API', name: 'a', number: '+551133334444', partner_api_config: partner() });
});

test('PUT of an inbox changes a single field, answers 200 with the record, and leaves the other fields unchanged', async () => {
  const agent = await createAgent(demo._id);
  const owner = (await platform.createUser(demo._id, 'OPERATOR'))._id;
  let expected = await create(PLAIN);
  const changes = [
    {},
    { name: 'Renamed' },
    { webhook_url: 'http://hooks.example.com/' },
    { number: '+55 (11) 90000-0000' },
    { default_agent: agent },
    { default_owner: owner },
    { default_owner: null },
    { test_mode: { enabled: true, test_numbers: ['+551191', '+551192'] } },
    { general_config: { include_operator_name_on_message: true } },
    { process_unsupported_messages: true },
    { disable_inbound_ai: true },
    { pdf_local_text_extraction: true },
    { reopen_days: 7 },
    { disable_inbound_ai: false },
    { status: 'DELETED' },
  ];
  for (const change of changes) {
    const { updatedAt, ...answered } = await put(expected._id, change);
    assert.ok(updatedAt >= expected.updatedAt);
    expected = { ...expected, ...change, updatedAt };
    assert.deepEqual({ ...answered, updatedAt }, expected);
    assert.deepEqual(await read(expected._id), expected);
  }
});

test('a test_mode with one of its two fields changes only this field', async () => {
  const { _id } = await create({ ...PLAIN, test_mode: { test_numbers: ['+551191'] } });
  assert.deepEqual((await put(_id, { test_mode: { enabled: true } })).test_mode, {
    enabled: true,
    test_numbers: ['+551191'],
  });
  assert.deepEqual((await put(_id, { test_mode: { test_numbers: [] } })).test_mode, {
    enabled: true,
    test_numbers: [],
  });
});

const REFUSED: [Record<string, unknown>, string][] = [
  [{ coexistence_enabled: true }, 'coexistence_enabled'],
  [{ coexistence_enabled: false }, 'coexistence_enabled'],
  [{ has_templates: true }, 'has_templates'],
  [{ connection: { status: 'CONNECTED' } }, 'connection'],
  [{ professional_network_config: { account_id: 'x' } }, 'professional_network_config'],
  [{ _id: 'f'.repeat(24) }, '_id'],
  [{ company: 'f'.repeat(24) }, 'company'],
  [{ createdAt: '2026-01-01T00:00:00.000Z' }, 'createdAt'],
  [{ colour: 'red' }, 'colour'],
  [{ channel: 'SMS' }, 'channel'],
  [{ channel: null }, 'channel'],
  [{ name: '' }, 'name'],
  [{ name: null }, 'name'],
  [{ name: 7 }, 'name'],
  [{ webhook_url: 'not a url' }, 'webhook_url'],
  [{ webhook_url: 'ftp://example.com/' }, 'webhook_url'],
  [{ number: '' }, 'number'],
  [{ number: 5511900000000 }, 'number'],
  [{ number: 'call me' }, 'number'],
  [{ number: null }, 'number'],
  [{ default_agent: '' }, 'default_agent'],
  [{ default_agent: 'nobody' }, 'default_agent'],
  [{ default_agent: 1 }, 'default_agent'],
  [{ default_owner: '' }, 'default_owner'],
  [{ default_owner: 'nobody' }, 'default_owner'],
  [{ default_owner: 1 }, 'default_owner'],
  [{ status: 'INACTIVE' }, 'status'],
  [{ status: null }, 'status'],
  [{ test_mode: null }, 'test_mode'],
  [{ test_mode: { enabled: 'true' } }, 'test_mode.enabled'],
  [{ test_mode: { test_numbers: '+551133334444' } }, 'test_mode.test_numbers'],
  [{ test_mode: { test_numbers: [551199] } }, 'test_mode.test_numbers[0]'],
  [{ test_mode: { numbers: [] } }, 'test_mode.numbers'],
  [{ general_config: {} }, 'general_config.include_operator_name_on_message'],
  [{ general_config: null }, 'general_config'],
  [{ general_config: { include_operator_name_on_message: 1 } }, 'general_config.include_operator_name_on_message'],
  [{ general_config: { include_operator_name_on_message: true, language: 'pt' } }, 'general_config.language'],
  [{ process_unsupported_messages: 'true' }, 'process_unsupported_messages'],
  [{ process_unsupported_messages: null }, 'process_unsupported_messages'],
  [{ disable_inbound_ai: 1 }, 'disable_inbound_ai'],
  [{ disable_inbound_ai: null }, 'disable_inbound_ai'],
  [{ pdf_local_text_extraction: 'no' }, 'pdf_local_text_extraction'],
  [{ pdf_local_text_extraction: null }, 'pdf_local_text_extraction'],
  [{ api_wap_config: null }, 'api_wap_config'],
  [{ api_wap_config: { business_id: '2', waba_id: '3' } }, 'api_wap_config.phone_number_id'],
  [{ api_wap_config: { phone_number_id: '1', waba_id: '3' } }, 'api_wap_config.business_id'],
  [{ api_wap_config: { phone_number_id: '1', business_id: '2' } }, 'api_wap_config.waba_id'],
  [{ api_wap_config: wap({ phone_number_id: 1 }) }, 'api_wap_config.phone_number_id'],
  [{ api_wap_config: wap({ phone_number_id: '..' }) }, 'api_wap_config.phone_number_id'],
  [{ api_wap_config: wap({ business_token: 7 }) }, 'api_wap_config.business_token'],
  [{ api_wap_config: wap({ pin: '123456' }) }, 'api_wap_config.pin'],
  [{ partner_api_config: null }, 'partner_api_config'],
  [{ partner_api_config: partner({ base_url: undefined }) }, 'partner_api_config.base_url'],
  [{ partner_api_config: partner({ api_key: undefined }) }, 'partner_api_config.api_key'],
  [{ partner_api_config: partner({ instance_name: undefined }) }, 'partner_api_config.instance_name'],
  [{ partner_api_config: partner({ base_url: '' }) }, 'partner_api_config.base_url'],
  [{ partner_api_config: partner({ api_key: '' }) }, 'partner_api_config.api_key'],
  [{ partner_api_config: partner({ api_key: null }) }, 'partner_api_config.api_key'],
  [{ partner_api_config: partner({ instance_name: '' }) }, 'partner_api_config.instance_name'],
  [{ partner_api_config: partner({ token: 'x' }) }, 'partner_api_config.token'],
];

test('unknown, read-only, wrongly typed and null fields of an inbox are answered 400 with their path, at POST and at PUT, and change nothing', async () => {
  const before = await create(PLAIN);
  const count = async (): Promise<number> => (await call(200, 'GET', '/v1/inboxes')).body.meta.totalCount;
  const inboxes = await count();
  for (const [fields, path] of REFUSED) {
    const posted = await call(400, 'POST', '/v1/inboxes', { body: { ...PLAIN, ...fields } });
    const changed = await call(400, 'PUT', `/v1/inboxes/${before._id}`, { body: { name: 'Changed', ...fields } });
    for (const { body } of [posted, changed]) {
      assert.equal(body.code, 'VALIDATION_FAILED');
      assert.ok(listPaths(body).includes(path), `${JSON.stringify(fields)} names ${listPaths(body).join()}`);
    }
  }
  for (const body of [[], 'text', null, {}, { channel: 'WEB_V2' }, { name: 'Site' }]) {
    await call(400, 'POST', '/v1/inboxes', { body });
  }
  assert.deepEqual(await read(before._id), before);
  assert.equal(await count(), inboxes);
});

test('webhook_url and default_agent are cleared by null, and may be null from the start', async () => {
  const given = { webhook_url: 'https://hooks.example.com/wap', default_agent: await createAgent(demo._id) };
  const { _id } = await create({ ...PLAIN, ...given });
  const cleared = await put(_id, { webhook_url: null, default_agent: null });
  const empty = await create({ ...PLAIN, webhook_url: null, default_agent: null });
  for (const inbox of [cleared, empty]) {
    for (const field of Object.keys(given)) assert.ok(!(field in inbox), field);
  }
});

test('test_numbers contain the names of people on the channel: phone numbers, e-mail addresses or ids', async () => {
  const phone = await create(wapInbox());
  for (const [body, good, bad] of [
    [phone, ['+55 (11) 8765-4321', '5511988887777', 'BR.13491208655302741918'], ['maria@example.com', 'maria', '']],
    [
      await create({ channel: 'EMAIL', name: 'Mail', email_config: MAILBOX }),
      ['maria@example.com'],
      ['5511988887777', 'maria', 'a b@c'],
    ],
    [await create({ channel: 'WEB_V2', name: 'Site' }), ['visitor-1', '5511988887777'], ['', ' ']],
  ] as const) {
    const changed = await put(body._id, { test_mode: { test_numbers: [...good] } });
    assert.deepEqual(changed.test_mode.test_numbers, good);
    for (const name of bad) {
      const test_mode = { test_numbers: [good[0], name] };
      const { body: problem } = await call(400, 'PUT', `/v1/inboxes/${body._id}`, { body: { test_mode } });
      assert.equal(problem.errors[0].path, 'test_mode.test_numbers[1]', name);
    }
  }
});

test('a test number in a national writing is stored with the country code of its company, or refused', async () => {
  const inbox = await create(wapInbox());
  const save = (status: number, ...test_numbers: string[]): Promise<Json> =>
    call(status, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { test_mode: { test_numbers } } });
  const country = async (value: string | null): Promise<void> => {
    const body = { general_config: { country: value } };
    await call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: platform.globalKey, body });
  };
  await country('BR');
  const { body } = await save(200, '(11) 91234-5678', '55 11 91234-5679', '+551191', '00 1 555 012 3456');
  assert.deepEqual(body.test_mode.test_numbers, ['+5511912345678', '55 11 91234-5679', '+551191', '+15550123456']);
  const { errors } = (await save(400, '+551191', '91234-5678')).body;
  assert.deepEqual([errors[0].path, errors[0].code], ['test_mode.test_numbers[1]', 'INVALID']);
  // Each of these is one person, whatever stands between the digits, and these digits are a number of Recife.
  const odd = (await save(200, '+55 (0)11 91234-5680', '\u202a11 91234\u20115681\u202c', '81980067952')).body;
  assert.deepEqual(odd.test_mode.test_numbers, ['+5511912345680', '+5511912345681', '+5581980067952']);
  await country(null);
  assert.equal((await save(400, '(11) 91234-5678')).body.errors[0].path, 'test_mode.test_numbers[0]');
  await country('BR');
});

test('a default_agent or default_owner that is unknown or of another company is 400 UNKNOWN_REFERENCE, with the same answer', async () => {
  const { _id, ...before } = await create(PLAIN);
  const theirs = {
    default_agent: await createAgent(foreign._id),
    default_owner: (await platform.createUser(foreign._id, 'OWNER'))._id,
  };
  for (const [field, foreignId] of Object.entries(theirs)) {
    const answers: string[] = [];
    for (const id of [foreignId, 'f'.repeat(24)]) {
      for (const { body } of [
        await call(400, 'POST', '/v1/inboxes', { body: { ...PLAIN, [field]: id } }),
        await call(400, 'PUT', `/v1/inboxes/${_id}`, { body: { [field]: id } }),
      ]) {
        const { request_id: _request, ...problem } = body;
        answers.push(JSON.stringify(problem));
        assert.equal(problem.code, 'UNKNOWN_REFERENCE');
        assert.deepEqual(listPaths(problem), [field]);
      }
    }
    assert.equal(new Set(answers).size, 1);
  }
  assert.deepEqual(await read(_id), { _id, ...before });
});

test('an inbox moves from ACTIVE to DELETED and back, any number of times, and DELETED ones can still be read and changed', async () => {
  const { _id } = await create(PLAIN);
  for (const status of ['DELETED', 'DELETED', 'ACTIVE', 'ACTIVE', 'DELETED']) {
    assert.equal((await put(_id, { status })).status, status);
    assert.equal((await read(_id)).status, status);
  }
  assert.equal((await put(_id, { name: 'Closed' })).name, 'Closed');
});

test('on channels with phone numbers, the number of an inbox is parsed like every phone number; on others it is kept as it is', async () => {
  const written = { ...wapInbox(), number: '55 (11) 3333-4444' };
  const inbox = await create(written);
  assert.equal(inbox.number, '+551133334444');
  assert.equal((await put(inbox._id, { number: '+65 9123 4567' })).number, '+6591234567');
  await call(200, 'PATCH', `/v1/companies/${demo._id}`, { body: { general_config: { country: 'BR' } } });
  assert.equal((await put(inbox._id, { number: '(11) 90000-0000' })).number, '+5511900000000');
  assert.equal((await put(inbox._id, { number: '51 99999-8888' })).number, '+5551999998888');
  for (const { body } of [
    await call(400, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { number: '+551199' } }),
    await call(400, 'POST', '/v1/inboxes', { body: { ...wapInbox(), number: '+551199' } }),
  ]) {
    assert.equal(body.code, 'VALIDATION_FAILED');
    assert.deepEqual(listPaths(body), ['number']);
  }
  await put(inbox._id, { number: '+5511900000000' });
  assert.equal((await put(inbox._id, { name: 'Door', number: '+5511900000000' })).number, '+5511900000000');
  const web = await create({ ...PLAIN, number: '(11) 9' });
  assert.equal(web.number, '(11) 9');
  const moved = { channel: 'PARTNER_API', partner_api_config: partner() };
  const refused = await call(400, 'PUT', `/v1/inboxes/${web._id}`, { body: moved });
  assert.deepEqual(listPaths(refused.body), ['number']);
});

test('an inbox can change its channel when the new one has what it needs', async () => {
  const { _id } = await create(PLAIN);
  const refused = await call(400, 'PUT', `/v1/inboxes/${_id}`, { body: { channel: 'PARTNER_API' } });
  assert.equal(refused.body.code, 'CHANNEL_CONFIG_REQUIRED');
  const changed = await put(_id, { channel: 'PARTNER_API', number: '+551133334444', partner_api_config: partner() });
  assert.equal(changed.channel, 'PARTNER_API');
  assert.equal((await put(_id, { channel: 'WEB_V2' })).channel, 'WEB_V2');
});

test('an inbox from a time when its channel had no settings can be renamed, closed and opened, and gets its settings later', async () => {
  const { _id } = await create(PLAIN);
  await database.sql(`update inboxes set channel = 'EMAIL' where _id = $1`, [_id]);
  for (const change of [{ name: 'Mail' }, { status: 'DELETED' }, { status: 'ACTIVE' }]) {
    const changed = await put(_id, change);
    assert.deepEqual({ ...changed, ...change }, changed);
    assert.equal(changed.connection.status, 'PENDING');
  }
  const { email_config } = await put(_id, { email_config: MAILBOX });
  assert.equal(email_config.address, MAILBOX.address);
});

test('a partner gateway at a private address is 400 TARGET_NOT_ALLOWED at POST and at PUT', async () => {
  const before = await create(PLAIN);
  for (const base_url of [
    'http://10.0.0.1',
    'http://169.254.169.254/',
    'http://[::1]:8080',
    'ftp://1.1.1.1',
    'gateway',
  ]) {
    const fields = {
      channel: 'PARTNER_API',
      name: 'a',
      number: '+551133334444',
      partner_api_config: partner({ base_url }),
    };
    for (const { body } of [
      await call(400, 'POST', '/v1/inboxes', { body: fields }),
      await call(400, 'PUT', `/v1/inboxes/${before._id}`, { body: fields }),
    ]) {
      assert.equal(body.code, 'TARGET_NOT_ALLOWED');
      assert.deepEqual(listPaths(body), ['partner_api_config.base_url']);
    }
  }
  assert.deepEqual(await read(before._id), before);
});
