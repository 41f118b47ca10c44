/** What a caller has to be able to do, to let an agent do it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { GRANTABLE } from '../../platform/values/scopes.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/agents';

const makeKey = async (scopes: string[]): Promise<string> => (await platform.createKey(demo._id, scopes)).token;
const makeKeyWithout = (missing: string): Promise<string> =>
  makeKey(GRANTABLE.filter((scope) => !scope.endsWith('*') && scope !== missing));
const post = async (path: string, body: Json): Promise<string> => (await call(201, 'POST', path, { body })).body._id;

const item = await post('/v1/knowledge/autcl', { name: 'Hours', content: 'Open from nine to six.' });
const table = await post('/v1/tables', { name: 'Prices', slug: 'prices', columns: [{ key: 'price', type: 'TEXT' }] });
await call(200, 'PATCH', `/v1/companies/${demo._id}`, {
  key: platform.globalKey,
  body: { client_mcp_servers_enabled: true },
});
const server = await post('/v1/agents/mcp-servers', { name: 'Shop', url: 'http://127.0.0.1:9/mcp' });

/** An agent that can only answer, without any knowledge. */
const PLAIN = { name: 'Ana', type: 'AI', knowledge_scope: 'LISTED', tools: [] };
const URL_OF_SERVER = 'http://127.0.0.1:9/turn';

const ADDITIONS: [name: string, addition: Json, scopes: string[]][] = [
  ['all knowledge', { knowledge_scope: 'ALL' }, ['knowledge:read']],
  ['a knowledge item', { knowledge: [item] }, ['knowledge:read']],
  ['a table', { tables: [table] }, ['tables:read']],
  ['an MCP server', { mcp_servers: [server] }, ['messages:read', 'attachments:read']],
  ['SEND_FILE', { tools: ['SEND_FILE'] }, ['messages:create', 'knowledge:read', 'attachments:read']],
  ['READ_FIELDS', { tools: ['READ_FIELDS'] }, ['contacts:read', 'conversations:read']],
  ['WRITE_FIELDS', { tools: ['WRITE_FIELDS'] }, ['contacts:update', 'conversations:update']],
  ['MOVE_STEP', { tools: ['MOVE_STEP'] }, ['conversations:update']],
  ['SCHEDULE_FOLLOW_UP', { tools: ['SCHEDULE_FOLLOW_UP'] }, ['messages:create']],
];

for (const [name, addition, scopes] of ADDITIONS)
  test(`an agent gets ${name} only from a caller that has ${scopes.join(' and ')}, and keeps it when others change it`, async () => {
    const path = `${PATH}/${await post(PATH, PLAIN)}`;
    const body = { ...PLAIN, ...addition };
    for (const missing of scopes) {
      const key = await makeKeyWithout(missing);
      for (const refused of [
        await call(403, 'POST', PATH, { key, body }),
        await call(403, 'PATCH', path, { key, body: addition }),
      ]) {
        expectProblem(refused, 'FORBIDDEN', 'authorization');
        assert.equal(refused.body.detail, `The scope ${missing} is missing`);
      }
    }
    await call(201, 'POST', PATH, { key: await makeKey(['agents:create', ...scopes]), body });
    await call(200, 'PATCH', path, { key: await makeKey(['agents:update', ...scopes]), body: addition });
    const key = await makeKey(['agents:update']);
    const { body: changed } = await call(200, 'PATCH', path, { key, body: { ...addition, name: 'Bia' } });
    assert.deepEqual([changed.name, changed.tools], ['Bia', addition.tools ?? []]);
  });

test('an EXTERNAL agent, and another server for one, need what the server can do: read messages and files, and send', async () => {
  const external = { name: 'Ext', type: 'EXTERNAL', url: URL_OF_SERVER };
  const path = `${PATH}/${await post(PATH, external)}`;
  const change = { url: `${URL_OF_SERVER}/2` };
  for (const missing of ['messages:read', 'attachments:read', 'messages:create']) {
    const key = await makeKeyWithout(missing);
    const texts = [
      await call(403, 'POST', PATH, { key, body: external }),
      await call(403, 'PATCH', path, { key, body: change }),
    ].map(({ body }) => body.detail);
    assert.deepEqual(new Set(texts), new Set([`The scope ${missing} is missing`]));
  }
  await call(201, 'POST', PATH, { key: await makeKey(['agents:create']), body: PLAIN });
  const scopes = ['agents:create', 'agents:update', 'messages:read', 'attachments:read', 'messages:create'];
  const key = await makeKey(scopes);
  await call(201, 'POST', PATH, { key, body: external });
  await call(200, 'PATCH', path, { key, body: change });
});

test('the address and the tools of an MCP server are changed only by a caller that may read messages and files', async () => {
  const path = `${PATH}/mcp-servers/${server}`;
  const tool = { name: 'lookup_order', description: 'Finds an order.', input_schema: { type: 'object' } };
  for (const missing of ['messages:read', 'attachments:read'])
    for (const body of [{ url: 'http://127.0.0.1:9/other' }, { tools: [tool] }])
      expectProblem(await call(403, 'PATCH', path, { key: await makeKeyWithout(missing), body }), 'FORBIDDEN');
  const few = await makeKey(['agents:update', 'messages:read', 'attachments:read']);
  await call(200, 'PATCH', path, { key: few, body: { tools: [tool] } });
  const key = await makeKey(['agents:update']);
  await call(200, 'PATCH', path, { key, body: { name: 'Till', url: 'http://127.0.0.1:9/mcp', tools: [tool] } });
});

test('a try shows what the agent reads only to a caller that may read it, and an EXTERNAL agent reads nothing', async () => {
  const body = { message: 'Open at nine?' };
  const shown: [given: Json, scope: string][] = [
    [{ knowledge_scope: 'ALL' }, 'knowledge:read'],
    [{ knowledge: [item] }, 'knowledge:read'],
    [{ tools: ['SEND_FILE'] }, 'knowledge:read'],
    [{ tables: [table], tools: ['READ_TABLES'] }, 'tables:read'],
    [{ tools: ['WRITE_FIELDS'] }, 'custom-fields:read'],
    [{ tools: ['MOVE_STEP'] }, 'pipelines:read'],
  ];
  const mere = await makeKey(['agents:update']);
  for (const [given, scope] of shown) {
    const path = `${PATH}/${await post(PATH, { ...PLAIN, ...given })}/try`;
    const { detail } = (await call(403, 'POST', path, { key: mere, body })).body;
    assert.equal(detail, `The scope ${scope} is missing`);
    await call(200, 'POST', path, { key: await makeKey(['agents:update', scope]), body });
  }
  const external = await post(PATH, { name: 'Ext', type: 'EXTERNAL', url: URL_OF_SERVER });
  await call(200, 'POST', `${PATH}/${external}/try`, { key: mere, body });
});
