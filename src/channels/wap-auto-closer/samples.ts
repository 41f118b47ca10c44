/** Examples for the contract tests of channels. */
import type { Samples } from '../channel.ts';
import { composeContent } from '../content.ts';
import { wapSettings } from './settings.ts';

const { phone_number_id, waba_id } = wapSettings.sample;

const notify = (value: Record<string, unknown>) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: waba_id, changes: [{ field: 'messages', value: { metadata: { phone_number_id }, ...value } }] }],
});
const person = { wa_id: '5585991230001', user_id: 'BR.77000000000000000001', profile: { name: 'Ana' } };

export const wapSamples: Samples = {
  number: '+5585991230001',
  contents: [composeContent('TEXT', { content: 'Bom dia! https://loja.example/a' })],
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
  ],
};
