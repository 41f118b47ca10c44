/** What holds for every tool of the MCP server, also for those that are added later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectMcp, type ConnectedMcp } from '../../../test/support/mcp-client.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { allows, GRANTABLE } from '../../platform/values/scopes.ts';
import { TOOLS } from './server.ts';
import { TOOLSETS } from './tool.ts';

const { url, demo, createKey, createUser } = await startPlatform();

const open = (key: string): Promise<ConnectedMcp> => connectMcp({ url, key, query: `?toolsets=${TOOLSETS.join()}` });

/** The places below a schema that a client may be unable to translate: a bare boolean, or a schema that says nothing of its values. */
function findUnportable(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [path];
  const {
    type,
    const: only,
    enum: some,
    anyOf,
    properties = {},
    items,
    additionalProperties,
  } = schema as Record<string, unknown>;
  const inner = [
    ...Object.entries(properties as object),
    ...Object.entries((anyOf ?? []) as object),
    ...(items === undefined ? [] : [['items', items] as const]),
    ...(typeof additionalProperties === 'object' ? [['*', additionalProperties] as const] : []),
  ];
  const isTyped = [type, only, some, anyOf].some((each) => each !== undefined);
  return [...(isTyped ? [] : [path]), ...inner.flatMap(([name, each]) => findUnportable(each, `${path}.${name}`))];
}

test('the list of tools is within the limits of all known clients', async () => {
  const tools = await (await open(demo.key)).listTools();
  assert.equal(tools.length, TOOLS.length);
  for (const { name, description = '', inputSchema, annotations } of tools) {
    assert.match(name, /^[a-z_]{3,40}$/);
    assert.ok(description.length > 0 && description.length <= 300, name);
    assert.equal(inputSchema.type, 'object', name);
    for (const word of ['oneOf', 'anyOf', 'allOf']) assert.ok(!(word in inputSchema), `${name}: ${word}`);
    assert.deepEqual(findUnportable(inputSchema, name), []);
    const hints = Object.entries(annotations ?? {}).filter(([, hint]) => typeof hint === 'boolean');
    assert.deepEqual(
      hints.map(([hint]) => hint).toSorted(),
      ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'],
      name,
    );
  }
  const usual = await (await connectMcp({ url, key: demo.key })).listTools();
  assert.ok(JSON.stringify(usual).length <= 16_000, String(JSON.stringify(usual).length));
});

test('a key without one scope of a tool neither sees nor can call the tool', async () => {
  const single = GRANTABLE.filter((scope) => !scope.endsWith('*'));
  for (const scope of new Set(TOOLS.flatMap(({ scopes }) => scopes))) {
    const granted = single.filter((other) => !allows([other], scope));
    const key = await createKey(demo._id, granted);
    const { listTools, callTool } = await open(key.token);
    const [lost, kept] = [true, false].map((lacks) =>
      TOOLS.filter(({ scopes }) => scopes.some((each) => !granted.includes(each)) === lacks).map(({ name }) => name),
    );
    assert.deepEqual(
      (await listTools()).map(({ name }) => name),
      kept,
      scope,
    );
    for (const name of lost ?? [])
      await assert.rejects(callTool(name), /There is no tool .* or the key lacks a scope/, `${name} without ${scope}`);
  }
});

test('a user with the role VIEWER gets only tools that change nothing', async () => {
  const tools = await (await open((await createUser(demo._id, 'VIEWER')).token)).listTools();
  assert.ok(tools.length > 0);
  for (const { name, annotations } of tools) assert.equal(annotations?.readOnlyHint, true, name);
});
