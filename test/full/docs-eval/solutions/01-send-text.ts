import { call, findWhatsApp } from './api.ts';

const [, phone] = /\+(\d+)/.exec(process.env['PROMPT'] ?? '') ?? [];
await call('POST', '/v1/messages/send-text', {
  inboxId: (await findWhatsApp())._id,
  phone: `+${phone}`,
  message: { content: 'Your order 4711 has arrived.' },
});
