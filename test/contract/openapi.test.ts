/** What the API says of itself, against what it serves and against the description that it is built to. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildApi } from '../../src/api.ts';
import { ERRORS } from '../../src/platform/errors.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();
const document: Json = (await platform.call(200, 'GET', '/openapi.json', { key: null })).body;

interface Operation {
  /** `GET /v1/inboxes/{id}` */
  name: string;
  method: string;
  path: string;
  spec: Json;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, spec]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    spec,
  })),
);

// The tags, in the spelling that integrators know.
const TAGS = new Set(
  `messages contacts campaigns tables agents conversations inboxes knowledge Webhooks campaign-enrollments custom-fields
  auth companies users api-keys businesses pipelines attachments audit`.split(/\s+/),
);

describe('the document', () => {
  test('is OpenAPI 3.1 of an API whose version is 1.0', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.version, '1.0');
    assert.ok(document.info.title && document.info.license.name);
    assert.deepEqual(document.components.securitySchemes.bearer, {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    });
    assert.equal(document.servers.length, 1);
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      assert.match(path, /^\/v1\//, path);
      for (const method of Object.keys(item)) assert.ok(METHODS.includes(method), `${method} ${path}`);
    }
  });

  test('points only to what is in it, and holds no schema that nothing points to', () => {
    const references = new Set<string>();
    walk(document, (node) => typeof node['$ref'] === 'string' && references.add(node['$ref']));
    const defined = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    assert.ok(defined.length > 5);
    assert.deepEqual([...references].toSorted(), defined.toSorted());
  });

  test('speaks JSON Schema 2020-12: no leftovers of OpenAPI 3.0', () => {
    walk(document, (node, path) => {
      assert.ok(!('nullable' in node) || typeof node['nullable'] !== 'boolean', `${path} says nullable`);
      assert.ok(typeof node['exclusiveMinimum'] !== 'boolean', path);
      const types = [node['type']].flat().filter((type) => typeof type === 'string');
      if (!path.includes('securitySchemes') && !path.endsWith('properties')) {
        for (const type of types) assert.match(type, /^(string|number|integer|boolean|object|array|null)$/, path);
      }
      if (node['type'] === 'array') assert.ok('items' in node, `${path} is a list of what?`);
      if (Array.isArray(node['required']) && node['properties']) {
        for (const name of node['required'])
          assert.ok(name in (node['properties'] as object), `${path} requires ${name}`);
      }
    });
  });
});

test('what is described is served, and what is served under /v1 is described', async () => {
  const described = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  const served = await servedRoutes();
  assert.deepEqual(
    served.filter((route) => route.includes(' /v1/')),
    described.toSorted(),
  );
  // A new door beside the API is a decision, not an accident.
  const others = new Set(served.filter((route) => !/ \/(v1|docs)\b/.test(route)));
  const known = [
    'GET /health/live',
    'GET /health/ready',
    'GET /hooks/wap',
    'GET /metrics',
    'GET /openapi.json',
    'POST /hooks/wap',
  ];
  assert.deepEqual([...others], known);
});

describe('every operation', () => {
  test('has one known tag, which the document describes', () => {
    const described = document.tags.map((tag: Json) => tag.name);
    for (const { name, spec } of operations) {
      assert.equal(spec.tags?.length, 1, name);
      assert.ok(TAGS.has(spec.tags[0]), `${name}: ${spec.tags[0]}`);
      assert.ok(described.includes(spec.tags[0]), `${name}: the tag ${spec.tags[0]} is not described`);
    }
    for (const tag of described)
      assert.ok(
        operations.some(({ spec }) => spec.tags[0] === tag),
        `${tag} has no operation`,
      );
  });

  test('has a summary, and an operationId of its own that a generator can make a name of', () => {
    const ids = operations.map(({ spec }) => spec.operationId);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
    assert.equal(new Set(ids).size, ids.length);
    for (const { name, spec } of operations) assert.ok(spec.summary?.length > 3, name);
  });

  test('says that it needs a bearer token and may carry x-company-id', () => {
    for (const { name, spec } of operations) {
      assert.deepEqual(spec.security, [{ bearer: [] }], name);
      const header = spec.parameters.find((parameter: Json) => parameter.name === 'x-company-id');
      assert.deepEqual([header?.in, header?.required ?? false, header?.schema.type], ['header', false, 'string'], name);
    }
  });

  test('names each part of its path, and no other, as required', () => {
    for (const { name, path, spec } of operations) {
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
      const named = spec.parameters.filter((parameter: Json) => parameter.in === 'path');
      assert.deepEqual(
        named.map((parameter: Json) => parameter.name),
        parts,
        name,
      );
      for (const parameter of named) assert.equal(parameter.required, true, name);
    }
  });

  test('has one success with a schema: 201 for a POST that creates, 200 for everything else', () => {
    for (const { name, method, spec } of operations) {
      const successes = Object.keys(spec.responses).filter((status) => status.startsWith('2'));
      assert.deepEqual(successes, [method === 'POST' ? '201' : '200'], name);
      for (const status of successes) {
        assert.ok(spec.responses[status].content['application/json'].schema, name);
        assert.ok(spec.responses[status].description !== undefined, name);
      }
    }
  });

  test('answers each error with a problem, and says which codes there are', () => {
    for (const { name, spec } of operations) {
      const failures = Object.entries<Json>(spec.responses).filter(([status]) => /^[45]/.test(status));
      for (const status of ['400', '401', '403', '404', '500', '503'])
        assert.ok(status in spec.responses, `${name}: ${status}`);
      for (const [status, answer] of failures) {
        const expected = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
        assert.deepEqual(answer.content, expected, `${name}: ${status}`);
        const codes: string[] = answer.description.split(', ');
        for (const code of codes)
          assert.equal(ERRORS[code as keyof typeof ERRORS]?.status, Number(status), `${name}: ${code}`);
      }
    }
  });

  test('with a body requires it, refuses what it does not know, and says that it may be too large or of another type', () => {
    const bodies = operations.filter(({ spec }) => spec.requestBody);
    assert.ok(bodies.length >= 4);
    for (const { name, spec } of bodies) {
      assert.equal(spec.requestBody.required, true, name);
      const { $ref } = spec.requestBody.content['application/json'].schema;
      const schema = document.components.schemas[String($ref).split('/').at(-1) ?? ''];
      assert.equal(schema?.additionalProperties, false, `${name}: ${$ref}`);
      for (const status of ['413', '415']) assert.ok(status in spec.responses, `${name}: ${status}`);
    }
  });

  test('that lists takes the same parameters and answers with the same page', () => {
    const lists = operations.filter(({ spec }) => spec.parameters.some((parameter: Json) => parameter.name === 'page'));
    assert.ok(lists.length >= 3);
    for (const { name, spec } of lists) {
      const names = spec.parameters.map((parameter: Json) => parameter.name);
      for (const wanted of ['page', 'limit', 'skipCount', 'sort', 'after'])
        assert.ok(names.includes(wanted), `${name}: ${wanted}`);
      const limit = spec.parameters.find((parameter: Json) => parameter.name === 'limit').schema;
      assert.deepEqual([limit.minimum, limit.maximum, limit.default], [1, 100, 20], name);
      const { properties } = spec.responses['200'].content['application/json'].schema;
      assert.deepEqual(Object.keys(properties), ['result', 'meta'], name);
      const meta = ['page', 'limit', 'totalCount', 'totalPages', 'hasNextPage', 'nextCursor'];
      assert.deepEqual(Object.keys(properties.meta.properties), meta, name);
    }
  });
});

describe('the reference page', () => {
  test('and all that it loads come from this server alone, and may run under its own policy', async () => {
    const page = await fetch(`${platform.url}/docs/`);
    assert.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /https?:\/\/|\*|unsafe-eval/);
    const html = await page.text();
    const assets = [...html.matchAll(/<(?:script|link|img)[^>]*?(?:src|href)="([^"]+)"/g)].map(
      ([, address = '']) => address,
    );
    assert.ok(assets.length >= 4, assets.join());
    for (const address of assets) {
      const asset = new URL(address, `${platform.url}/docs/`);
      assert.equal(asset.origin, platform.url);
      const answer = await fetch(asset);
      assert.equal(answer.status, 200, address);
      await answer.arrayBuffer();
    }
    // Nothing inline that the policy would have to let pass by a hash that is not there.
    const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^<]+)<\/script>/g)];
    assert.deepEqual(inline, []);
    assert.ok(!/(?:src|href)="(?:https?:)?\/\//.test(html));
  });

  test('shows this very document', async () => {
    const start = await (await fetch(`${platform.url}/docs/static/swagger-initializer.js`)).text();
    assert.doesNotMatch(start, /['"`](?:https?:)?\/\//);
    assert.match(start, /validatorUrl: null/);
    assert.deepEqual(await (await fetch(`${platform.url}/docs/json`)).json(), document);
  });
});

/** Every object inside, with where it is. */
function walk(node: Json, visit: (node: Record<string, unknown>, path: string) => void, path = '#'): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node, path);
  for (const [key, value] of Object.entries(node)) walk(value, visit, `${path}/${key}`);
}

/** `GET /v1/inboxes/:id`, in order, from the router's own tree: a level is four characters deep. */
async function servedRoutes(): Promise<string[]> {
  const app = await buildApi(platform.running.kit, { ready: null });
  await app.ready();
  const tree = app.printRoutes({ commonPrefix: false });
  await app.close();
  const above: string[] = [];
  const routes: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+) \(([A-Z, ]+)\)$/.exec(line) ?? [];
    const depth = indent.length / 4;
    above[depth] = (above[depth - 1] ?? '') + part;
    for (const method of methods.split(', ')) {
      if (method && method !== 'HEAD') routes.push(`${method} ${above[depth]}`);
    }
  }
  return routes.toSorted();
}
