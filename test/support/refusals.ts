/** Provokes the error answers that all operations of the API share. */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { Answer, Platform } from './platform.ts';

export interface RefusedRequest {
  method: string;
  path: string;
  /** The scope that a caller needs, such as `messages:create`. */
  scope: string;
  /** A body that the operation accepts, when the operation takes one. */
  body?: unknown;
}

/** A body larger than the limit of 1 MB. */
const TOO_LARGE = `{"a":"${'a'.repeat(1_048_576)}"}`;

/** Provokes 400, 401, 403, 404, and with a body 413 and 415: errors that are answered before the operation itself runs. */
export async function checkRefusals(platform: Platform, asked: RefusedRequest): Promise<void> {
  const { method, path, scope } = asked;
  const given = asked.body === undefined ? {} : { body: asked.body };
  const [resource = '', action = ''] = scope.split(':');
  const others = ['create', 'read', 'update', 'delete'].filter((other) => other !== action);
  const almost = await platform.createKey(
    platform.demo._id,
    others.map((other) => `${resource}:${other}`),
  );
  const key = platform.globalKey;
  const ask = (status: number, options: Parameters<Platform['call']>[3]): Promise<Answer> =>
    platform.call(status, method, path, { ...given, ...options });
  const anonymous = await ask(401, { key: null });
  assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer');
  expectProblem(anonymous, 'UNAUTHORIZED');
  expectProblem(await ask(403, { key: almost.token }), 'FORBIDDEN');
  expectProblem(await ask(400, { key }), 'COMPANY_ID_REQUIRED');
  expectProblem(await ask(404, { key, headers: { 'x-company-id': 'f'.repeat(24) } }), 'NOT_FOUND');
  const query = await platform.call(400, method, `${path}?surprise=1`, given);
  expectProblem(query, 'VALIDATION_FAILED', 'surprise');
  if (asked.body === undefined) return;
  expectProblem(await ask(413, { raw: TOO_LARGE }), 'BODY_TOO_LARGE');
  expectProblem(await ask(415, { raw: 'a', headers: { 'content-type': 'text/plain' } }), 'UNSUPPORTED_MEDIA_TYPE');
  expectProblem(await ask(400, { raw: '{"a":' }), 'MALFORMED_BODY');
  const surplus = { ...(asked.body as object), surprise: 1 };
  expectProblem(await ask(400, { body: surplus }), 'VALIDATION_FAILED', 'surprise');
}

/** Asserts the problem format; `path` is the path of the field in the request that the problem names. */
export function expectProblem({ status, headers, body }: Answer, code: string, path?: string): void {
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(body.code, code);
  assert.equal(body.status, status);
  assert.equal(body.request_id, headers.get('x-request-id'));
  for (const field of ['type', 'title', 'detail']) assert.ok(body[field].length > 0, field);
  assert.ok(Array.isArray(body.errors));
  if (path !== undefined) assert.equal(body.errors[0]?.path, path, JSON.stringify(body));
}

/** Locks these tables and asserts that each of the operations answers 503. */
export async function checkAnswers503(platform: Platform, tables: string[], asked: RefusedRequest[]): Promise<void> {
  const client = new pg.Client({ connectionString: platform.database.ownerUrl });
  await client.connect();
  try {
    await client.query(`begin; lock table ${tables.join(', ')} in access exclusive mode`);
    for (const answer of await callInTurn(platform, 503, asked)) {
      expectProblem(answer, 'UNAVAILABLE');
      assert.equal(answer.headers.get('retry-after'), '1');
    }
  } finally {
    await client.end();
  }
}

/** Renames a column in the database, as a defect would, and asserts that each operation answers 500 without internal details. */
export async function checkAnswers500(platform: Platform, column: string, asked: RefusedRequest[]): Promise<void> {
  const [table, name] = column.split('.');
  const { sql } = platform.database;
  await sql(`alter table ${table} rename column ${name} to gone`);
  try {
    for (const answer of await callInTurn(platform, 500, asked)) {
      expectProblem(answer, 'INTERNAL_ERROR');
      assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(`select|column|${name}`, 'i'));
    }
  } finally {
    await sql(`alter table ${table} rename column gone to ${name}`);
  }
}

function callInTurn(platform: Platform, status: number, asked: RefusedRequest[]): Promise<Answer[]> {
  return Promise.all(
    asked.map(({ method, path, body }) => platform.call(status, method, path, body === undefined ? {} : { body })),
  );
}
