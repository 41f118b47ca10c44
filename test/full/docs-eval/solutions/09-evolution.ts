import { writeFile } from 'node:fs/promises';
import { call, findWhatsApp, url } from './api.ts';

const key = await call('POST', '/v1/api-keys', {
  name: 'Flow',
  type: 'company',
  format: 'SHORT',
  scopes: ['inboxes:read', 'messages:create'],
});
const instance = (await findWhatsApp()).door_name;
await writeFile('flow.json', JSON.stringify({ server: `${url}/evolution`, instance, apikey: key.token }));
