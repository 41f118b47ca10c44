import { call, findWhatsApp } from './api.ts';

const content = '# The shop\n\nThe shop opens at half past nine.\n\nParking is behind the house.';
const { _id: item } = await call('POST', '/v1/knowledge/autcl', { name: 'Shop', language: 'en', content });
while ((await call('GET', `/v1/knowledge/${item}`)).status === 'PROCESSING');
const agent = await call('POST', '/v1/agents', {
  name: 'Ana',
  type: 'AI',
  knowledge_scope: 'LISTED',
  knowledge: [item],
});
await call('PUT', `/v1/inboxes/${(await findWhatsApp())._id}`, { default_agent: agent._id });
