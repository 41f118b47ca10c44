import { writeFile } from 'node:fs/promises';
import { call, url } from './api.ts';

const { token } = await call('POST', '/v1/api-keys', {
  name: 'Assistant',
  type: 'company',
  format: 'SHORT',
  scopes: ['contacts:read', 'conversations:read', 'messages:read', 'messages:create'],
});
const parley = { url: `${url}/mcp?toolsets=people,conversations`, headers: { Authorization: `Bearer ${token}` } };
await writeFile('mcp.json', JSON.stringify({ mcpServers: { parley } }));
