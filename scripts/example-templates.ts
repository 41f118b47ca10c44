/** The steps that record the examples of sending templates. */
import type { Take } from './example-steps.ts';

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
