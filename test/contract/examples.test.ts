/** Compares the recorded examples and descriptions of the API document with its schemas. `npm run examples` records them anew. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { EVENT_NAMES } from '../../src/platform/store/events.ts';
import { resolveReferences, type Schema } from '../full/fuzz/document.ts';
import { findMisfits } from '../full/fuzz/validate.ts';
import type { Json } from '../support/platform.ts';

const read = (path: string): Json => JSON.parse(readFileSync(path, 'utf8')) as Json;
const document = read('openapi.json');
const recorded = read('docs/reference/examples.json');

const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, spec]) => ({ name: `${method.toUpperCase()} ${path}`, spec })),
);
const resolveSchema = (schema: Json): Schema => resolveReferences(schema, document.components.schemas) as Schema;

describe('every operation', () => {
  test('every operation has an example for its body and its success, and each fits its schema', () => {
    for (const { name, spec } of operations) {
      const success = Object.keys(spec.responses).findLast((status) => status.startsWith('2')) ?? '';
      for (const part of [spec.requestBody, spec.responses[success]]) {
        if (!part) continue;
        const media: Json = part.content['application/json'] ?? Object.values(part.content)[0];
        assert.notEqual(media.example, undefined, `${name} has no example`);
        // The file of a form is binary; only its JSON parts have examples.
        if (part.content['multipart/form-data']) continue;
        const isAnswer = part !== spec.requestBody;
        assert.deepEqual(findMisfits(resolveSchema(media.schema), media.example, { closed: isAnswer }), [], name);
      }
    }
  });

  test('every operation describes the headers of its answers', () => {
    for (const { name, spec } of operations) {
      for (const [status, answer] of Object.entries<Json>(spec.responses)) {
        const names = Object.keys(answer.headers);
        for (const each of names) assert.ok(document.components.headers[each].description, each);
        assert.ok(names.includes('x-request-id'), `${name} ${status}`);
        assert.equal(names.includes('ratelimit-limit'), /^2|429/.test(status), `${name} ${status}`);
      }
    }
  });
});

describe('every event', () => {
  test('every event is a webhook of the document, with an example that fits its schema', () => {
    assert.deepEqual(Object.keys(document.webhooks).toSorted(), [...EVENT_NAMES].toSorted());
    for (const [event, { post }] of Object.entries<Json>(document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      assert.equal(example?.event, event);
      assert.deepEqual(findMisfits(resolveSchema(schema), example, { closed: true }), [], event);
    }
  });
});

test('the document marks the data of events as optional that an event without it leaves out', () => {
  const listOptional = (name: string): string[] => {
    const { properties, required } = document.components.schemas[name];
    return Object.keys(properties).filter((property) => !required.includes(property));
  };
  assert.deepEqual(listOptional('StepChanged'), ['origin']);
  assert.deepEqual(listOptional('FieldUpdated'), ['conversationId']);
});

describe('every description', () => {
  test('every parameter and property of the document has a description', () => {
    const silent: string[] = [];
    const visit = (schema: Json, path: string): void => {
      for (const [name, inner] of Object.entries<Json>(schema.properties ?? {})) {
        if (!inner.description) silent.push(`${path}.${name}`);
        visit(inner, `${path}.${name}`);
      }
      for (const inner of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])])
        if (typeof inner === 'object') visit(inner, path);
    };
    for (const [name, schema] of Object.entries<Json>(document.components.schemas)) visit(schema, name);
    for (const { name, spec } of operations) {
      for (const parameter of spec.parameters ?? [])
        if (!parameter.description) silent.push(`${name} ?${parameter.name}`);
      for (const part of [spec.requestBody, ...Object.values<Json>(spec.responses)])
        for (const { schema } of Object.values<Json>(part?.content ?? {})) visit(schema, name);
    }
    for (const { post } of Object.values<Json>(document.webhooks))
      visit(post.requestBody.content['application/json'].schema, 'webhook');
    assert.deepEqual(silent, []);
  });

  test('every entry of docs/reference/examples.json is used', () => {
    const ids = new Set(operations.map(({ spec }) => spec.operationId));
    for (const id of Object.keys(recorded.operations)) assert.ok(ids.has(id), id);
  });
});
