/** Tests the judge of the contract fuzz: it must detect each kind of broken rule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECORDS_KEYWORD } from '../../src/platform/values/schema.ts';
import { readOperations } from '../full/fuzz/document.ts';
import { findFaults, type Answer } from '../full/fuzz/judge.ts';
import type { FuzzRequest } from '../full/fuzz/shot.ts';
import { findMisfits } from '../full/fuzz/validate.ts';

const operation = readOperations().find(({ method, path }) => method === 'GET' && path === '/v1/webhooks');
assert.ok(operation);
const shot: FuzzRequest = { idea: 'a test', method: 'GET', path: '/v1/webhooks', headers: {}, body: null, operation };

const webhook = {
  _id: 'a'.repeat(24),
  company: 'b'.repeat(24),
  url: 'http://127.0.0.1/',
  events: ['MESSAGE_SENT'],
  custom_headers: {},
  status: 'ACTIVE',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

function makeAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json';
  return { status, headers: { 'x-request-id': 'r', 'content-type': type, ...headers }, text: JSON.stringify(body) };
}

function makeProblem(status: number, code: string, others: object = {}): Answer {
  const problem = {
    type: `/docs/errors#${code}`,
    title: 't',
    status,
    detail: 'd',
    code,
    errors: [],
    request_id: 'r',
  };
  return makeAnswer(status, { ...problem, ...others });
}

test('the judge accepts a record, null and a problem that break no rule', () => {
  for (const answer of [makeAnswer(200, webhook), makeAnswer(200, null), makeProblem(404, 'NOT_FOUND')])
    assert.deepEqual(findFaults(shot, answer), []);
});

for (const [what, answer, sentence] of [
  ['a 500', makeProblem(500, 'INTERNAL_ERROR'), /^5xx/],
  ['a 503', makeProblem(503, 'UNAVAILABLE'), /^5xx/],
  ['a status that is not documented', makeAnswer(201, webhook), /^undocumented: 201/],
  ['an error that is not documented', makeProblem(409, 'WEBHOOK_EXISTS'), /^undocumented: 409/],
  ['a code that is not documented', makeProblem(400, 'LAST_OWNER'), /^undocumented: 400 LAST_OWNER/],
  ['a field that is not in the schema', makeAnswer(200, { ...webhook, token: 'x' }), /token is not in the schema/],
  ['a field that is missing', makeAnswer(200, { ...webhook, url: undefined }), /url is missing/],
  ['a field of another type', makeAnswer(200, { ...webhook, url: 5 }), /url is no string/],
  [
    'a time without milliseconds',
    makeAnswer(200, { ...webhook, createdAt: '2026-01-01T00:00:00Z' }),
    /createdAt is no time/,
  ],
  ['another content type', makeAnswer(200, webhook, { 'content-type': 'text/html' }), /^content type text\/html/],
  [
    'a problem with another content type',
    makeAnswer(404, {}, { 'content-type': 'application/json' }),
    /^a 404 of type/,
  ],
  ['no request id', makeAnswer(200, webhook, { 'x-request-id': '' }), /^no x-request-id/],
  ['two request ids', makeProblem(404, 'NOT_FOUND', { request_id: 'other' }), /another request_id/],
  ['a code of another status', makeProblem(404, 'FORBIDDEN'), /^FORBIDDEN and 404 in a 404/],
  ['a validation error that names no field', makeProblem(400, 'VALIDATION_FAILED'), /names no field/],
  [
    'a stack trace in the answer',
    makeProblem(400, 'MALFORMED_BODY', { detail: 'at parse (body.ts:1)' }),
    /^the inside shows/,
  ],
] as const) {
  test(`the judge detects ${what}`, () => {
    const faults = findFaults(shot, answer);
    assert.ok(
      faults.some((fault) => sentence.test(fault)),
      JSON.stringify(faults),
    );
  });
}

test('the judge detects a validation error that names another field than the wrong one', () => {
  const answer = makeProblem(400, 'VALIDATION_FAILED', { errors: [{ path: 'name', code: 'TYPE', message: 'm' }] });
  assert.deepEqual(findFaults({ ...shot, names: 'name' }, answer), []);
  assert.deepEqual(findFaults({ ...shot, names: 'name.inner[0]' }, answer), []);
  assert.equal(findFaults({ ...shot, names: 'number' }, answer).length, 1);
});

test('the judge detects an invalid body that is accepted', () => {
  assert.equal(findFaults({ ...shot, statuses: [400] }, makeAnswer(200, webhook)).length, 1);
});

test('the judge checks each schema rule that the document uses', () => {
  for (const [schema, good, bad] of [
    [{ type: 'string', minLength: 1 }, 'a', ''],
    [{ type: 'string', maxLength: 1 }, '\u{1f600}', 'ab'],
    [{ type: 'string', pattern: '^a$' }, 'a', 'b'],
    [{ type: 'integer', minimum: 1 }, 1, 0],
    [{ type: 'integer', maximum: 1 }, 1, 2],
    [{ type: 'integer' }, 1, 1.5],
    [{ type: 'boolean' }, true, 'true'],
    [{ type: ['string', 'null'] }, null, 0],
    [{ enum: ['A'] }, 'A', 'B'],
    [{ type: 'array', items: { type: 'string' } }, ['a'], [1]],
    [{ type: 'array', minItems: 1 }, ['a'], []],
    [{ type: 'array', maxItems: 1 }, ['a'], ['a', 'b']],
    [{ type: 'array', uniqueItems: true }, ['a', 'b'], ['a', 'a']],
    [{ type: 'object', required: ['a'] }, { a: 1 }, {}],
    [{ type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' }, { a: 1 }],
    [{ type: 'object', additionalProperties: false }, {}, { a: 1 }],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 'x' }, { a: 1 }],
    [{ type: 'object', minProperties: 1 }, { a: 1 }, {}],
    [{ type: 'object', maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 1],
  ] as const) {
    const asked = schema as unknown as Parameters<typeof findMisfits>[0];
    assert.deepEqual(findMisfits(asked, good), [], JSON.stringify(schema));
    assert.equal(findMisfits(asked, bad).length, 1, JSON.stringify(schema));
  }
});

test('the document uses no schema rule that the judge does not know', () => {
  const rules =
    'type enum anyOf properties required additionalProperties minProperties maxProperties items minItems maxItems uniqueItems';
  const known = new Set(
    `${rules} minLength maxLength pattern format minimum maximum description default title examples propertyNames ${RECORDS_KEYWORD}`.split(
      ' ',
    ),
  );
  const visit = (schema: Record<string, unknown>, at: string): void => {
    for (const [rule, value] of Object.entries(schema)) {
      assert.ok(known.has(rule), `${at} says ${rule}`);
      const parts = rule === 'properties' ? Object.values(value as object) : [value].flat();
      for (const part of parts) if (typeof part === 'object' && part !== null) visit(part as never, `${at}/${rule}`);
    }
  };
  for (const { path, method, parameters, body, answers } of readOperations()) {
    const schemas = [...parameters, ...answers.values()].map(({ schema }) => schema);
    for (const schema of body ? [...schemas, body] : schemas) visit(schema as never, `${method} ${path}`);
  }
});
