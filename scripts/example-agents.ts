/** The steps of scripts/examples.ts about agents. */
import { openMcp, sayText } from '../test/support/mcp.ts';
import type { Json, Platform } from '../test/support/platform.ts';
import { waitUntil } from '../test/support/wait.ts';
import type { Take } from './example-steps.ts';

/** The agent answers one contact, whose follow-up is then cancelled. */
export async function recordAgents(take: Take, platform: Platform, forget: (path: string) => void): Promise<void> {
  const { call, demo } = platform;
  const handoff = { enabled: true, keywords: ['human', 'complaint'], max_turns: 20 };
  const { _id } = await take('POST /v1/agents', '', {
    body: {
      name: 'Ana',
      type: 'AI',
      description: 'Answers about deliveries',
      instructions: 'Be kind and brief.',
      tools: ['SEARCH_KNOWLEDGE', 'MOVE_STEP'],
      follow_ups: [{ delay_minutes: 60, content: 'Shall we reserve the cake for you?' }],
      handoff,
      handoff_message: 'One of us will answer you soon.',
    },
  });
  const content = 'We deliver cakes on Sundays.';
  const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Delivery', content } })).body;
  await waitUntil('the item to be prepared', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${item._id}`);
    return body.status === 'READY';
  });
  await take('POST /v1/agents/{id}/try', _id, { body: { message: 'Do you deliver cakes on Sundays?' } });
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: _id } });
  await platform.receive({ from: '5511966665555', name: 'Rui Costa', text: 'Do you deliver cakes on Sundays?' });
  const [followUp] = await waitUntil('the follow-up of the answer', async (): Promise<Json[] | null> => {
    forget('/v1/agents/follow-ups');
    const { result } = await take('GET /v1/agents/follow-ups');
    return result.length > 0 ? result : null;
  });
  await take('POST /v1/agents/follow-ups/{id}/cancel', followUp?.['_id']);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: null } });
  await take('PATCH /v1/agents/{id}', _id, { body: { status: 'INACTIVE' } });
  await take('GET /v1/agents/turns');
  await recordMcpServers(take, platform);
  const other = (await call(201, 'POST', '/v1/agents', { body: { name: 'Bia', type: 'AI' } })).body;
  await take('DELETE /v1/agents/{id}', other._id);
}

/** A company approves the only tool of its server. */
async function recordMcpServers(take: Take, { call, demo, globalKey }: Platform): Promise<void> {
  const body = { client_mcp_servers_enabled: true };
  await call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: globalKey, body });
  const server = await openMcp();
  server.tools.push({
    name: 'find_order',
    description: 'Finds an order by its number.',
    inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  });
  server.answer(() => sayText('{"number":"4821","status":"On its way"}'));
  const header = { name: 'Authorization', value: 'Bearer shop-secret-1234' };
  const { _id } = await take('POST /v1/agents/mcp-servers', '', { body: { name: 'Shop', url: server.url, header } });
  const { offered } = await take('POST /v1/agents/mcp-servers/{id}/check', _id);
  const tools = offered.map(({ name, description, input_schema }: Json) => ({ name, description, input_schema }));
  const look_up = { tool: 'find_order', arguments: { number: '{{contact.external_id}}' } };
  await take('PATCH /v1/agents/mcp-servers/{id}', _id, { body: { tools, look_up } });
  const person = { name: 'Nina Sá', external_id: '4821' };
  const { body: contact } = await call(201, 'POST', '/v1/contacts', { body: person });
  await take('GET /v1/contacts/{id}/look-ups/{server}', `${contact._id},${_id}`);
  await take('DELETE /v1/agents/mcp-servers/{id}', _id);
  server.close();
}
