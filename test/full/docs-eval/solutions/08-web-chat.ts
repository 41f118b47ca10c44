import { writeFile } from 'node:fs/promises';
import { call, url } from './api.ts';

const { _id } = await call('POST', '/v1/inboxes', {
  channel: 'WEB_V2',
  name: 'Shop chat',
  web_config: { allowed_origins: [`http://127.0.0.1:${process.env['PORT']}`] },
});
await writeFile(
  'index.html',
  `<!doctype html><title>Shop</title><h1>Shop</h1><script async src="${url}/widget.js" data-inbox="${_id}"></script>`,
);
