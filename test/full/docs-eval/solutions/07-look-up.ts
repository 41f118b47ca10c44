import { call } from './api.ts';

const columns = [
  { key: 'number', title: 'Number', type: 'TEXT' },
  { key: 'state', title: 'State', type: 'TEXT' },
];
const { _id: table } = await call('POST', '/v1/tables', { name: 'Orders', columns });
for (const [number, state] of [
  ['A-17', 'shipped'],
  ['A-18', 'waiting for payment'],
])
  await call('POST', `/v1/tables/${table}/rows`, { data: { number, state } });
await call('POST', '/v1/agents', { name: 'Otto', type: 'AI', tools: ['READ_TABLES'], tables: [table] });
