/** The steps that record the examples of templates. */
import type { Take } from './example-steps.ts';

export async function recordTemplates(take: Take, inbox: string): Promise<void> {
  const profile = await take('POST /v1/inboxes', '', { body: { channel: 'PROFESSIONAL_NETWORK', name: 'LinkedIn' } });
  await take('POST /v1/inboxes/{id}/connect-link', profile._id);
  await take('POST /v1/inboxes/{id}/check-numbers', profile._id, { body: { numbers: ['+5511988887777', '+551'] } });
  await take('GET /v1/inboxes/{id}/templates', `${inbox}?name=appointment_reminder`);
  const makeBody = (text: string) => ({ type: 'BODY', text, example: { body_text: [['Maria']] } });
  const buttons = { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'On my way' }] };
  const components = [makeBody('Hi {{1}}, your cake is ready.'), buttons];
  const body = { name: 'cake_ready', language: 'en', category: 'UTILITY', components };
  await take('POST /v1/inboxes/{id}/templates', inbox, { body });
  const edit = { language: 'en', components: [makeBody('Hi {{1}}, your cake is ready to be collected.'), buttons] };
  await take('PUT /v1/inboxes/{id}/templates/{name}', `${inbox},cake_ready`, { body: edit });
  await take('DELETE /v1/inboxes/{id}/templates/{name}', `${inbox},cake_ready`);
}

export async function recordTemplateSend(take: Take, conversation: string): Promise<void> {
  const values = [{ text: 'Maria' }, { text: '4821' }];
  const template = { name: 'order_update', language: 'en_US', components: [{ type: 'body', parameters: values }] };
  await take('POST /v1/messages/send-template', '', { body: { conversationId: conversation, message: { template } } });
}

export async function recordBulk(take: Take, inbox: string): Promise<void> {
  const contacts = [
    { name: 'Rosa', phone: '+55 11 98888-1001' },
    { name: 'Davi', phone: '123' },
  ];
  const form = { inboxId: inbox, templateName: 'hello_world', languageCode: 'pt_BR', contacts };
  const run = await take('POST /v1/messages/send-bulk-template', '', { form });
  await take('GET /v1/messages/bulk');
  await take('GET /v1/messages/bulk/{id}', run._id);
}
