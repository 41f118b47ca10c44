/** The messages for requests that do not match their schema. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { explainPattern, RECORDS_KEYWORD } from '../values/schema.ts';
import { describeFailure } from './validation.ts';

const platform = await startPlatform();

describe('the error for an invalid field is a sentence', () => {
  const person = { name: 'Ana' };
  for (const [method, path, body, sentence] of [
    ['POST', '/v1/contacts', { ...person, name: 5 }, 'name must be a text or null'],
    ['POST', '/v1/contacts', { ...person, name: '' }, 'name must not be empty'],
    ['POST', '/v1/contacts', { ...person, name: '  ' }, 'name must contain more than spaces'],
    ['POST', '/v1/contacts', { ...person, name: 'a'.repeat(201) }, 'name must have at most 200 characters'],
    ['POST', '/v1/contacts', { ...person, email: 'ana' }, 'email must be an e-mail address'],
    ['POST', '/v1/contacts', { ...person, language: 'português' }, 'language must be a language, such as pt-BR'],
    [
      'POST',
      '/v1/contacts',
      { ...person, avatar_url: 'ftp://a.b/c' },
      'avatar_url must start with https:// or http://',
    ],
    ['POST', '/v1/contacts', { ...person, tags: ['a', 'a'] }, 'tags must not contain the same item twice'],
    ['POST', '/v1/contacts', { ...person, tags: [' a'] }, 'tags[0] must not start or end with a space'],
    ['POST', '/v1/contacts', { ...person, nope: 1 }, 'nope is not a property that can be set'],
    [
      'POST',
      '/v1/contacts',
      { ...person, phone: '+55 11 98888-7777' },
      'phone is not a property that can be set: did you mean phone_number?',
    ],
    [
      'POST',
      '/v1/api-keys',
      { name: 'k', type: 'company', scopes: ['contact:read'] },
      'scopes[0] must be one of 96 values, among them *, webhooks:* or webhooks:create: did you mean contacts:read?',
    ],
    ['POST', '/v1/custom-fields', { title: 'A', context: 'contact' }, 'type is required'],
    [
      'POST',
      '/v1/api-keys',
      { name: 'k', type: 'company', scopes: ['cook:read'] },
      'scopes[0] must be one of 96 values, among them *, webhooks:* or webhooks:create',
    ],
    ['POST', '/v1/api-keys', { name: 'k', type: 'user', scopes: ['*'] }, 'type must be one of company or global'],
    [
      'POST',
      '/v1/api-keys',
      { name: 'k', type: 'company', scopes: ['*'], expires_at: 'tomorrow' },
      'expires_at must be a time such as 2026-01-31T12:00:00.000Z',
    ],
    [
      'POST',
      '/v1/messages/send-text',
      { conversationId: '0'.repeat(24), message: { content: 'Oi', contentType: 'IMAGE' } },
      'message.contentType must be TEXT',
    ],
    ['GET', '/v1/contacts?owner=ana', undefined, 'owner is not a parameter of this operation'],
    ['GET', '/v1/contacts?limit=101', undefined, 'limit must be at most 100'],
    ['GET', '/v1/contacts?limit=many', undefined, 'limit must be a whole number'],
  ] as const) {
    test(sentence, async () => {
      const { body: problem } = await platform.call(400, method, path, { body });
      assert.equal(problem.detail, sentence);
      assert.equal(problem.errors.length, 1, 'one error only');
      assert.equal(`${problem.errors[0].path} ${problem.errors[0].message}`, sentence);
    });
  }
});

test('each rule, pattern and format of the OpenAPI document has its own error message', async () => {
  const document = JSON.parse(await readFile('openapi.json', 'utf8')) as Json;
  const rules = new Set(['required', 'additionalProperties', 'type', 'enum']);
  const annotations = ['description', 'default', 'title', 'example', 'examples', RECORDS_KEYWORD];
  const notRules = new Set(['properties', 'propertyNames', 'items', ...annotations]);
  const vague = ['is not valid', 'does not have the expected format'];
  const visit = (schema: Json): void => {
    for (const [keyword, value] of Object.entries<Json>(schema)) {
      if (keyword === '$ref' || notRules.has(keyword) || rules.has(keyword)) continue;
      if (keyword === 'pattern') assert.ok(explainPattern(value), value);
      if (keyword === 'format' && value === 'binary') continue;
      const params = { limit: value, pattern: value, format: value };
      assert.ok(!vague.includes(describeFailure({ keyword, params })), `${keyword}: ${JSON.stringify(value)}`);
    }
    const inner = [
      schema.items,
      schema.propertyNames,
      schema.additionalProperties,
      ...Object.values(schema.properties ?? {}),
    ];
    for (const each of [...inner, ...(schema.anyOf ?? [])]) if (typeof each === 'object') visit(each);
  };
  for (const schema of Object.values(document.components.schemas)) visit(schema);
  for (const { parameters = [], requestBody } of Object.values<Json>(document.paths).flatMap(
    (item) => Object.values(item) as Json[],
  )) {
    for (const { schema } of parameters) visit(schema);
    for (const { schema } of Object.values<Json>(requestBody?.content ?? {})) visit(schema);
  }
});
