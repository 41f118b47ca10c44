/** How many MCP servers a company has, and how large the record of one is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/agents/mcp-servers';
const url = 'http://127.0.0.1:9/mcp';

await call(200, 'PATCH', `/v1/companies/${demo._id}`, {
  key: platform.globalKey,
  body: { client_mcp_servers_enabled: true },
});

test('a company that has no server yet gets three of many that are added at the same moment', async () => {
  const headers = { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Shop', url });
  const answers: Json[] = await Promise.all(
    Array.from({ length: 12 }, async () =>
      (await fetch(platform.url + PATH, { method: 'POST', headers, body })).json(),
    ),
  );
  const made = answers.filter(({ _id }) => _id !== undefined);
  const refused = answers.filter(({ errors }) => errors?.[0].code === 'LIMIT_REACHED');
  assert.deepEqual([made.length, refused.length], [3, 9]);
  for (const { _id } of made) await call(200, 'DELETE', `${PATH}/${_id}`);
});

test('a server whose approved tools make a record above 80 kB is refused with the tool that is largest', async () => {
  const makeTool = (n: number, bytes: number): Json => ({
    name: `tool_${n}`,
    description: 'x'.repeat(1_000),
    input_schema: { type: 'object', title: 'x'.repeat(bytes) },
  });
  const tools = Array.from({ length: 20 }, (_, n) => makeTool(n, n === 7 ? 7_500 : 5_000));
  const { _id } = (await call(201, 'POST', PATH, { body: { name: 'Shop', url, tools: tools.slice(0, 10) } })).body;
  for (const [method, path, body] of [
    ['POST', PATH, { name: 'Large', url, tools }],
    ['PATCH', `${PATH}/${_id}`, { tools }],
  ] as const) {
    const answer = await call(400, method, path, { body });
    expectProblem(answer, 'VALIDATION_FAILED', 'tools[7]');
    assert.match(answer.body.errors[0].message, /^makes a record that is larger than 80 kB: \d+ bytes of JSON$/);
  }
  const { result } = (await call(200, 'GET', PATH)).body;
  assert.deepEqual(
    result.map((server: Json) => [server.name, server.tools.length]),
    [['Shop', 10]],
  );
});
