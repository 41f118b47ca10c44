/**
 * Uses secrets of people and companies as intended, puts them into fields where they do not belong, and then searches everything that is
 * answered, logged or stored for them.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { openModel, say, sendJson } from '../../support/model.ts';
import { buildMessageNotification, makeNetworkId, openNetwork, type Phone } from '../../support/network.ts';
import { openPlatform, type Answer, type CallOptions, type Json, type Platform } from '../../support/platform.ts';
import {
  createPerson,
  freshEmail,
  FROM_PAGE,
  logIn,
  PASSWORD,
  readMails,
  readMailToken,
  waitForMail,
} from '../../support/people.ts';
import { createFullCompany, type FullCompany } from '../matrix/companies.ts';
import { readOperations } from '../matrix/document.ts';
import { fillPath, prepareRecords, buildValidRequest } from '../matrix/asking.ts';
import { SAMPLES } from '../matrix/samples.ts';
import { buildForm } from '../matrix/forms.ts';
import { createSecretWatch, type SecretWatch } from './watch.ts';

export interface SecretsSize {
  /** The number of companies, each with people, keys, an inbox and a webhook. */
  rounds: number;
}

export interface SecretsResult {
  secrets: number;
  answers: number;
  rows: number;
  lines: number;
  deliveries: number;
  files: number;
}

interface SecretsRound {
  platform: Platform;
  watch: SecretWatch;
  side: FullCompany;
  account: SecretsResult;
  /** Calls the API and searches the answer for secrets. */
  call(status: number, method: string, path: string, options?: SecretRequest): Promise<Answer>;
}

interface SecretRequest extends CallOptions {
  /** The secrets that the answer may contain. */
  mayShow?: string[];
}

const makeSecret = (): string => `hidden${randomBytes(16).toString('hex')}`;

export async function proveSecrets({ rounds }: SecretsSize): Promise<SecretsResult> {
  const lines: string[] = [];
  // The log has the lowest level and no redaction, because no secret may depend on either.
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const account: SecretsResult = { secrets: 0, answers: 0, rows: 0, lines: 0, deliveries: 0, files: 0 };
  const watch = createSecretWatch();
  const model = await openModel((_call, response) => sendJson(response, say('Hello')));
  const key = watch.add('the key of the model', makeSecret());
  const env = { AI_BASE_URL: model.url, AI_MODEL: 'small', AI_API_KEY: key };
  const { platform, close } = await openPlatform({ log, env });
  try {
    await watchInstallationSecrets(platform, watch);
    for (let left = rounds; left > 0; left -= 1) await useAllSecrets(await openRound(platform, watch, account));
    await searchDatabase(platform, watch, account);
    await searchFiles(platform, watch, account);
    const { body: metrics } = await platform.call(200, 'GET', '/metrics', { key: null });
    for (const line of [...lines, ...String(metrics).split('\n')]) watch.search('a log or metric', line);
    account.lines = lines.length;
    account.secrets = watch.count();
    assert.ok(lines.length > 10 * rounds, 'the log was read');
    assert.deepEqual(watch.found(), []);
    return account;
  } finally {
    await close();
    model.close();
  }
}

/** Watches the secrets that the first start wrote into the data folder. */
async function watchInstallationSecrets({ dataDir, globalKey, demo }: Platform, watch: SecretWatch): Promise<void> {
  const { jwtSecret, encryptionKey } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Json;
  const { user } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Json;
  for (const [name, value] of Object.entries({ jwtSecret, encryptionKey, password: user.password }))
    watch.add(`the installation's ${name}`, String(value));
  watch.addToken('the first global key', globalKey);
  watch.addToken('the first company key', demo.key);
}

async function openRound(platform: Platform, watch: SecretWatch, account: SecretsResult): Promise<SecretsRound> {
  const side = await createFullCompany(platform);
  watch.addToken("the company's key", side.key);
  const call: SecretsRound['call'] = async (status, method, path, { mayShow = [], ...options } = {}) => {
    const answer = await platform.call(status, method, path, { key: side.key, ...options });
    account.answers += 1;
    const told = JSON.stringify([answer.body, [...answer.headers]]);
    watch.search(`the answer of ${method} ${path}`, told, mayShow);
    return answer;
  };
  return { platform, watch, side, account, call };
}

async function useAllSecrets(round: SecretsRound): Promise<void> {
  const credentials = await createInboxWithSecrets(round);
  const header = await deliverWithSecretHeader(round, credentials.phone);
  const mcp = await callServerWithSecretHeader(round);
  const client = await storeSecretOfProvider(round);
  const { session, passwords, links } = await useSecretsOfPeople(round);
  const keys = await useApiKeys(round);
  await misplaceSecrets(round, [...credentials.values, header, mcp, client, ...passwords, ...links, ...keys, session]);
  await callEveryOperation(round, session, header);
}

/** Creates an inbox with the credentials of both its networks. */
async function createInboxWithSecrets({
  platform,
  watch,
  side,
  call,
}: SecretsRound): Promise<{ phone: Phone; values: string[] }> {
  const [token, apiKey] = [watch.add('a business_token', makeSecret()), watch.add('an api_key', makeSecret())];
  const ids = { phone_number_id: makeNetworkId(), waba_id: makeNetworkId(), business_id: '1' };
  await platform.sandbox('POST', '/sandbox/accounts', { ...ids, token });
  const body = {
    channel: 'WAP_AUTO_CLOSER',
    name: 'Phone',
    number: '+551133334444',
    api_wap_config: { ...ids, business_token: token },
    partner_api_config: { base_url: 'http://127.0.0.1:9', instance_name: 'main', api_key: apiKey },
  };
  const inbox = await call(201, 'POST', '/v1/inboxes', { body });
  assert.equal(inbox.body.connection.status, 'CONNECTED', 'the network knows the token');
  await call(200, 'PUT', `/v1/inboxes/${inbox.body._id}`, { body: { name: 'Till' } });
  const phone = { id: ids.phone_number_id, waba: ids.waba_id, inbox: inbox.body._id, company: side._id, key: side.key };
  return { phone, values: [token, apiKey] };
}

/** Sends a delivery with a secret header value: the value is in the headers of the delivery and in no record about the delivery. */
async function deliverWithSecretHeader(
  { platform, watch, side, account, call }: SecretsRound,
  phone: Phone,
): Promise<string> {
  const value = watch.add('a value of custom_headers', makeSecret());
  const body = {
    url: `${platform.sandboxUrl}/receiver/${side.marker}`,
    events: ['MESSAGE_RECEIVED'],
    custom_headers: { 'x-key': value },
  };
  await call(200, 'PUT', `/v1/webhooks/${side.records.webhook}`, { body, mayShow: [value] });
  const network = await openNetwork(platform);
  await network.post(200, buildMessageNotification(phone, { from: '5511911110000' }));
  const deliveries = await platform.deliveries((delivery) => JSON.stringify(delivery.headers ?? {}).includes(value));
  for (const delivery of deliveries) watch.search('the body of a delivery', JSON.stringify(delivery.body));
  account.deliveries += deliveries.length;
  const reader = await platform.createKey(side._id, ['webhooks:read']);
  const masked = await call(200, 'GET', '/v1/webhooks', { key: reader.token });
  assert.notEqual(masked.body.custom_headers['x-key'], value);
  return value;
}

interface UsedSecrets {
  session: string;
  passwords: string[];
  links: string[];
}

/** Lets a person accept an invitation, log in, forget the password, and log in again. */
async function useSecretsOfPeople(round: SecretsRound): Promise<UsedSecrets> {
  const { platform, watch, call } = round;
  const email = freshEmail('secret');
  const passwords = ['first', 'second', 'wrong'].map((which) => watch.add(`the ${which} password`, makeSecret()));
  const [first = '', second = '', wrong = ''] = passwords;
  await call(201, 'POST', '/v1/users', { body: { name: 'Ana', email, role: 'OWNER' } });
  const links: string[] = [];
  const anonymous = (status: number, path: string, body: Json) =>
    call(status, 'POST', `/v1/auth/${path}`, { key: null, body });
  for (const [index, password] of [first, second].entries()) {
    if (index > 0) await anonymous(200, 'forgot-password', { email });
    const link = watch.add(`the token of mail ${index}`, readMailToken(await waitForMail(platform, email, index + 1)));
    links.push(link);
    await anonymous(200, 'reset-password', { token: link, new_password: password });
    await anonymous(400, 'reset-password', { token: link, new_password: password });
    await anonymous(401, 'login', { email, password: wrong });
  }
  await anonymous(401, 'login', { email, password: first });
  // A session token is signed anew each time, so it is known only from the answer.
  const { body } = await logIn(platform, 200, email, second);
  const session = watch.addToken('a session', body.access_token);
  await useBrowserSession(round, { email, password: second });
  await useSecondFactor(round);
  for (const mail of await readMails(platform, email))
    watch.search('a mail', `${mail.subject}${mail.text}${mail.html}`, links);
  return { session, passwords, links };
}

/** Logs a browser in, uses its session, ends it, and uses it again. The token stands in the cookie of the log-in alone. */
async function useBrowserSession({ platform, watch, call }: SecretsRound, body: Json): Promise<void> {
  const answer = await platform.call(200, 'POST', '/v1/auth/session', { key: null, headers: FROM_PAGE, body });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  watch.add("the token of a browser's session", cookie.slice(cookie.indexOf('=') + 1));
  const use = { key: null, headers: { ...FROM_PAGE, cookie } };
  await call(200, 'GET', '/v1/auth/me', use);
  await call(200, 'DELETE', '/v1/auth/session', use);
  await call(401, 'GET', '/v1/auth/me', use);
}

/** Sets up two-factor log-in. Its secret and the recovery codes are in one answer each, and stored sealed and hashed. */
async function useSecondFactor({ platform, watch, call }: SecretsRound): Promise<void> {
  const { token: key } = await createPerson(platform, platform.demo._id, 'VIEWER');
  const path = '/v1/auth/second-factor';
  const { body: begun } = await platform.call(200, 'POST', `${path}/begin`, { key });
  const secret = watch.add('the secret of an authenticator app', begun.secret);
  const body = { password: PASSWORD, code: new TOTP({ secret }).generate() };
  const { body: made } = await platform.call(200, 'POST', path, { key, body });
  for (const code of made.recovery_codes) watch.add('a recovery code', code);
  await call(409, 'POST', path, { key, body });
  await call(200, 'GET', path, { key });
}

/** Stores the client secret of a provider of single sign-on in a company that keeps it until the database is searched. */
async function storeSecretOfProvider({ platform, watch, call }: SecretsRound): Promise<string> {
  const { key } = platform.demo;
  const value = watch.add('the client secret of a provider', makeSecret());
  const body = { issuer: 'https://203.0.114.1', client_id: 'parley', client_secret: value, domains: [] };
  await call(200, 'PUT', '/v1/single-sign-on', { key, body });
  const { body: stored } = await call(200, 'GET', '/v1/single-sign-on', { key });
  assert.equal(stored.has_client_secret, true);
  return value;
}

/** Creates, repeats, uses and revokes keys of both types, and uses them again. */
async function useApiKeys({ platform, watch, side, call }: SecretsRound): Promise<string[]> {
  const tokens: string[] = [];
  for (const type of ['company', 'global'] as const) {
    const caller = type === 'global' ? { key: platform.globalKey } : {};
    const request = {
      ...caller,
      headers: { 'idempotency-key': makeSecret() },
      body: { name: 'Till', type, scopes: ['inboxes:read'] },
    };
    const { key = side.key } = request;
    const made = await platform.call(201, 'POST', '/v1/api-keys', { ...request, key });
    const token = watch.addToken(`a ${type} key`, made.body.token);
    tokens.push(token);
    const again = await call(201, 'POST', '/v1/api-keys', request);
    assert.deepEqual([again.body._id, again.body.token], [made.body._id, null]);
    const headers = type === 'global' ? { 'x-company-id': side._id } : {};
    await call(200, 'GET', '/v1/inboxes', { key: made.body.token, headers });
    await call(200, 'DELETE', `/v1/api-keys/${made.body._id}`, caller);
    await call(401, 'GET', '/v1/inboxes', { key: made.body.token, headers });
  }
  return tokens;
}

/** Gives an MCP server a secret header value, and has the server called, which does not answer. */
async function callServerWithSecretHeader({ watch, side, call }: SecretsRound): Promise<string> {
  const value = watch.add('a header of an MCP server', makeSecret());
  const path = `/v1/agents/mcp-servers/${side.records['mcp-server']}`;
  const changed = await call(200, 'PATCH', path, { body: { header: { name: 'Authorization', value } } });
  assert.notEqual(changed.body.header.value, value);
  const { body } = await call(200, 'POST', `${path}/check`);
  assert.notEqual(body.server.error, null, 'nobody listens there');
  return value;
}

/** Puts secrets where they do not belong: into other fields, into malformed bodies, and into headers that the platform sets itself. */
async function misplaceSecrets({ side, call }: SecretsRound, secrets: string[]): Promise<void> {
  for (const value of secrets) {
    const login = { email: `${side.marker}@example.test`, password: 'x' };
    await call(400, 'POST', '/v1/auth/login', { body: { ...login, surprise: value } });
    await call(400, 'POST', '/v1/auth/login', { body: { ...login, password: { inner: value } } });
    await call(400, 'POST', '/v1/auth/login', { body: { ...login, password: value.repeat(10) } });
    await call(400, 'POST', '/v1/auth/login', { raw: `{"password":"${value}"` });
    await call(400, 'POST', '/v1/auth/login', { raw: `{"password":${value}}` });
    await call(415, 'POST', '/v1/auth/login', { raw: value, headers: { 'content-type': 'text/plain' } });
    await call(400, 'POST', '/v1/auth/reset-password', { body: { token: value, new_password: 'short' } });
    await call(400, 'POST', '/v1/auth/reset-password', { body: { token: value, new_password: 'long enough' } });
    await call(401, 'GET', '/v1/auth/me', { key: `x${value}` });
    await call(400, 'POST', '/v1/users', { body: { name: 'Ana', email: value, role: 'VIEWER' } });
    await call(400, 'PUT', `/v1/inboxes/${side.records.inbox}`, { body: { api_wap_config: { extra: value } } });
    await call(400, 'PUT', `/v1/webhooks/${side.records.webhook}`, { body: { custom_headers: { host: value } } });
    await call(400, 'POST', '/v1/api-keys', { body: { name: 'Till', type: 'company', scopes: [value] } });
  }
}

/** Calls each operation with all rights; only the custom headers of a webhook may be shown. */
async function callEveryOperation(
  { platform, side, call }: SecretsRound,
  session: string,
  header: string,
): Promise<void> {
  const { body } = await platform.call(200, 'GET', '/openapi.json', { key: null });
  for (const operation of readOperations(body)) {
    const [status = 0, ...others] = operation.successes;
    // Which of two success statuses comes depends on the state; the operation answers with the same record as its GET.
    if (others.length > 0) continue;
    // These operations answer with sessions, tokens and codes, which useSecretsOfPeople and useApiKeys check, or want a password.
    if (/login|api-keys|second-factor|passkeys/.test(operation.path) && operation.method === 'POST') continue;
    for (const key of [side.key, session, platform.globalKey]) {
      if (operation.globalOnly && key !== platform.globalKey) continue;
      if (SAMPLES[operation.name]?.onlyUsers && key !== session) continue;
      await prepareRecords(operation, platform, side);
      const { params, body: payload, headers: given } = buildValidRequest(operation, side);
      const path = fillPath(operation, params);
      const shown = operation.path.startsWith('/v1/webhooks') ? { mayShow: [header] } : {};
      const { headers = {}, ...sent } = operation.form
        ? buildForm(payload)
        : payload === undefined
          ? {}
          : { body: payload };
      await call(status, operation.method, path, {
        key,
        headers: { ...headers, ...given, 'x-company-id': side._id },
        ...shown,
        ...sent,
      });
    }
  }
}

/** Searches every row of every table, including the job queue. */
async function searchDatabase({ database, demo }: Platform, watch: SecretWatch, account: SecretsResult): Promise<void> {
  const tables = await database.sql<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  let seen = false;
  for (const { name } of tables) {
    const rows = await database.sql<{ row: string }>(`select t::text as row from ${name} t`);
    account.rows += rows.length;
    for (const { row } of rows) {
      watch.search(`a row of ${name}`, row);
      seen ||= row.includes(demo._id);
    }
  }
  assert.ok(seen && tables.some(({ name }) => name.startsWith('pgboss.')), 'the database was read');
}

/** Searches the data folder, except for the two files of secrets that the platform writes on purpose, readable only by their owner. */
async function searchFiles({ dataDir }: Platform, watch: SecretWatch, account: SecretsResult): Promise<void> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && !/^(secrets|credentials)\.json$/.test(one.name))) {
    // A mail contains the secret token of its link; useSecretsOfPeople searches the mails.
    if (entry.name.endsWith('.eml')) continue;
    account.files += 1;
    watch.search(`the file ${entry.name}`, await readFile(join(entry.parentPath, entry.name), 'latin1'));
  }
}
