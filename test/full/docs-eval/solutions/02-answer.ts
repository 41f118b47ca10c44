import { writeFile } from 'node:fs/promises';
import { call } from './api.ts';

const url = `http://127.0.0.1:${process.env['PORT']}/`;
const { _id } = await call('GET', '/v1/webhooks');
await call('PUT', `/v1/webhooks/${_id}`, { url, events: ['MESSAGE_RECEIVED'] });
await writeFile(
  'answer.mjs',
  `import { createServer } from 'node:http';
const { PORT, PARLEY_URL, PARLEY_KEY } = process.env;
createServer(async (request, response) => {
  let text = '';
  for await (const piece of request) text += piece;
  response.end();
  if (!text) return;
  const { event, data } = JSON.parse(text);
  if (event !== 'MESSAGE_RECEIVED' || data.message_type !== 'INCOMING' || data.contentType !== 'TEXT') return;
  await fetch(PARLEY_URL + '/v1/messages/send-text', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + PARLEY_KEY,
      'content-type': 'application/json',
      'idempotency-key': 'answer-' + data._id,
    },
    body: JSON.stringify({ conversationId: data.conversation, message: { content: 'You wrote: ' + data.content } }),
  });
}).listen(PORT, '127.0.0.1');
`,
);
