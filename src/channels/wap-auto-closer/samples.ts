/** Examples for the contract tests of channels. */
import { makeInteractiveOffer, TEXT_AND_FILES, type Samples } from '../content.ts';
import { wapSettings } from './settings.ts';

const { phone_number_id, waba_id } = wapSettings.sample;

const notifyAccount = (field: string, value: Record<string, unknown>) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: waba_id, time: 1_781_524_800, changes: [{ field, value }] }],
});
const notify = (value: Record<string, unknown>) =>
  notifyAccount('messages', { metadata: { phone_number_id }, ...value });
const person = { wa_id: '5585991230001', user_id: 'BR.77000000000000000001', profile: { name: 'Ana' } };

export const wapSamples: Samples = {
  number: '+5585991230001',
  contents: [
    ...TEXT_AND_FILES,
    { contentType: 'STICKER' },
    {
      contentType: 'LOCATION',
      location: { latitude: -3.7327, longitude: -38.527, name: 'Loja', address: 'Rua do Sol, 12', url: null },
    },
    { contentType: 'CONTACTS', contacts: [{ name: { formatted_name: 'Ana Sá', first_name: 'Ana' } }] },
    { contentType: 'REACTION', reaction: { externalId: 'wamid.IN1', emoji: '👍' } },
    {
      contentType: 'INTERACTIVE',
      content: 'Qual o melhor horário?',
      interactive: makeInteractiveOffer('button', {
        action: { buttons: [{ type: 'reply', reply: { id: 'manha', title: 'De manhã' } }] },
      }),
    },
    {
      contentType: 'TEMPLATE',
      content: 'Oi, Ana! O seu pedido 4821 saiu para entrega.',
      template: {
        name: 'order_update',
        language: 'pt_BR',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ana' },
              { type: 'text', text: '4821' },
            ],
          },
        ],
      },
    },
  ],
  callbacks: [
    notify({
      contacts: [person],
      messages: [
        { from: person.wa_id, id: 'wamid.IN1', timestamp: '1781524800', type: 'text', text: { body: 'Oi' } },
        {
          from: person.wa_id,
          id: 'wamid.IN2',
          timestamp: '1781524860',
          type: 'system',
          system: { type: 'user_changed_number', body: 'changed', wa_id: '5585991230002' },
        },
      ],
    }),
    notify({
      statuses: [
        {
          id: 'wamid.OUT1',
          timestamp: '1781524800',
          status: 'delivered',
          recipient_id: person.wa_id,
          recipient_user_id: person.user_id,
        },
      ],
    }),
    notifyAccount('message_template_status_update', {
      event: 'PAUSED',
      message_template_id: 1_689_556_908_129_832,
      message_template_name: 'order_update',
      message_template_language: 'pt_BR',
      reason: null,
    }),
  ],
};
