/** Sends every forged token to every operation: all of them get the same 401, whatever is wrong with the token. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { hashToken } from '../../../src/platform/http/auth.ts';
import { signToken } from '../../../src/platform/http/tokens.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { readAnswerText } from '../../support/answer-text.ts';
import { openPlatform, type Json, type Platform } from '../../support/platform.ts';
import { runConcurrently } from '../harness/network.ts';
import {
  FORGERIES,
  GENUINE,
  splitToken,
  signParts,
  type ForgeryRequest,
  type Forgery,
  type ForgerKnowledge,
} from '../matrix/forgeries.ts';

export interface ForgeriesSize {
  /**
   * Sends every forgery to every operation. When false, sends every forgery to one operation, and one forgery of each family to every
   * operation.
   */
  everything: boolean;
}

export interface ForgeriesResult {
  forgeries: number;
  operations: number;
  asked: number;
}

interface TargetOperation {
  method: string;
  path: string;
}

interface MadeForgery {
  name: string;
  family: string;
  attempt: ForgeryRequest;
}

const LANES = 16;
// The user's real session version, so that a forged token can claim an older and a newer one.
const SESSION_VERSION = 3;
// The most faults that the error shows, because more would only repeat the first ones.
const SHOWN_FAULTS = 5;

export async function proveForgeries({ everything }: ForgeriesSize): Promise<ForgeriesResult> {
  const previous = randomBytes(32).toString('hex');
  const { platform, close } = await openPlatform({ env: { JWT_SECRET_PREVIOUS: previous } });
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  try {
    const given = await createForgerKnowledge(platform, previous);
    const operations = await listTargets(platform);
    const own = { method: 'GET', path: `/v1/inboxes/${platform.demo.inbox}` };
    const [genuine, forged] = [
      await makeForgeries(platform, GENUINE, given),
      await makeForgeries(platform, FORGERIES, given),
    ];
    const ask = (target: TargetOperation, made: MadeForgery) =>
      sendRawRequest(platform.url, agent, target, made.attempt);
    for (const made of genuine) assert.equal((await ask(own, made)).status, 200, `genuine: ${made.name}`);
    const firsts = forged.filter(({ family }, index) => forged.findIndex((one) => one.family === family) === index);
    const asked = await assertAllRefused(ask, [
      ...(everything ? [] : forged.map((made) => ({ target: own, made }))),
      ...operations.flatMap((target) => (everything ? forged : firsts).map((made) => ({ target, made }))),
    ]);
    for (const target of operations) {
      const [whole] = genuine;
      assert.ok(whole);
      assert.notEqual((await ask(target, whole)).status, 401, `${target.method} ${target.path} refuses everybody`);
    }
    return { forgeries: forged.length, operations: operations.length, asked };
  } finally {
    agent.destroy();
    await close();
  }
}

async function assertAllRefused(
  ask: (target: TargetOperation, made: MadeForgery) => Promise<RawAnswer>,
  shots: { target: TargetOperation; made: MadeForgery }[],
): Promise<number> {
  const faults: string[] = [];
  const refusal = await ask({ method: 'GET', path: '/v1/inboxes' }, { name: '', family: '', attempt: {} });
  assert.deepEqual([refusal.status, refusal.challenge, refusal.code], [401, 'Bearer', 'UNAUTHORIZED']);
  await runConcurrently(LANES, shots, async ({ target, made }) => {
    const { status, challenge, text } = await ask(target, made);
    if (status === 401 && challenge === 'Bearer' && text === refusal.text) return;
    faults.push(`${target.method} ${target.path}, ${made.family}, ${made.name}: ${status} ${text.slice(0, 300)}`);
  });
  assert.deepEqual(faults.slice(0, SHOWN_FAULTS), [], `${faults.length} forgeries were not refused as all others`);
  return shots.length;
}

/** Creates real users and keys with their tokens, and returns them with the secrets that a forger should not have. */
async function createForgerKnowledge(platform: Platform, previous: string): Promise<ForgerKnowledge> {
  const { jwtSecret: secret } = JSON.parse(await readFile(join(platform.dataDir, 'secrets.json'), 'utf8')) as Json;
  const { demo, database } = platform;
  const user = await platform.createUser(demo._id, 'OWNER');
  await database.sql('update users set session_version = $2 where _id = $1', [user._id, SESSION_VERSION]);
  const { header, claims } = splitToken(user.token);
  const key = await platform.createKey(demo._id, ['webhooks:read', 'inboxes:read']);
  const other = await platform.createCompany();
  const stranger = await platform.createUser(other._id, 'OWNER');
  return {
    secret,
    previous,
    previousKid: splitToken(await signToken(previous, newId(), {})).header.kid,
    user: splitToken(signParts(header, { ...claims, sv: SESSION_VERSION }, secret)),
    key: splitToken(key.token),
    global: splitToken(platform.globalKey),
    other: { company: other._id, user: stranger._id, key: other.keyId },
  };
}

async function makeForgeries(platform: Platform, table: Forgery[], given: ForgerKnowledge): Promise<MadeForgery[]> {
  const made: MadeForgery[] = [];
  for (const { name, family, make } of table) {
    const attempt = make(given);
    if (attempt.record) await insertKeyRecord(platform, attempt.record);
    made.push({ name, family, attempt });
  }
  return made;
}

async function insertKeyRecord({ database }: Platform, record: NonNullable<ForgeryRequest['record']>): Promise<void> {
  const { token, _id, company, revoked = false, expired = false } = record;
  await database.sql(
    `insert into api_keys (_id, company_id, type, name, prefix, token_hash, scopes, revoked_at, expires_at)
     values ($1, $2, $3, 'forged', '', $4, '{*}', case when $5 then now() end, case when $6 then now() end)`,
    [_id, company, company === null ? 'global' : 'company', hashToken(token), revoked, expired],
  );
}

/** Lists every operation of the OpenAPI document that requires a token, with made-up ids in its path. */
async function listTargets(platform: Platform): Promise<TargetOperation[]> {
  const { body } = await platform.call(200, 'GET', '/openapi.json', { key: null });
  return Object.entries<Json>(body.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation.security?.length > 0)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, () => newId()) })),
  );
}

interface RawAnswer {
  status: number;
  challenge: string | undefined;
  code: string | undefined;
  text: string;
}

/** Sends one request with raw headers, because HTTP clients refuse to send some of the forged ones. */
function sendRawRequest(
  url: string,
  agent: Agent,
  { method, path }: TargetOperation,
  attempt: ForgeryRequest,
): Promise<RawAnswer> {
  const { host } = new URL(url);
  const payload = attempt.body === undefined ? '' : JSON.stringify(attempt.body);
  const headers = [
    ['host', host],
    ['x-request-id', 'forgery'],
    ...(attempt.authorization ?? []).map((value) => ['authorization', value]),
    ...Object.entries(attempt.headers ?? {}),
    ...(payload ? [['content-type', 'application/json']] : []),
    ['content-length', String(Buffer.byteLength(payload))],
  ];
  return new Promise((resolve, reject) => {
    const target = `${url}${path}${attempt.query ? `?${attempt.query}` : ''}`;
    const call = request(target, { method, agent, headers: headers.flat() }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      readAnswerText(answered['content-type'], response).then((text) => {
        const code = /"code":"(\w+)"/.exec(text)?.[1];
        resolve({ status, challenge: answered['www-authenticate'], code, text });
      }, reject);
    });
    call.on('error', reject).end(payload);
  });
}
