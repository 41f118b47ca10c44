import { writeFile } from 'node:fs/promises';
import { call } from './api.ts';

const url = `http://127.0.0.1:${process.env['PORT']}/`;
const { _id } = await call('GET', '/v1/webhooks');
await call('PUT', `/v1/webhooks/${_id}`, { url, events: ['MESSAGE_RECEIVED'] });
await writeFile(
  'receiver.mjs',
  `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const seen = new Set(existsSync('seen.txt') ? readFileSync('seen.txt', 'utf8').split('\\n') : []);
createServer(async (request, response) => {
  let text = '';
  for await (const piece of request) text += piece;
  if (text) {
    const { event, data } = JSON.parse(text);
    if (event === 'MESSAGE_RECEIVED' && data.message_type === 'INCOMING' && !seen.has(data._id)) {
      seen.add(data._id);
      appendFileSync('messages.txt', data.content + '\\n');
      appendFileSync('seen.txt', data._id + '\\n');
    }
  }
  response.end();
}).listen(process.env.PORT, '127.0.0.1');
`,
);
