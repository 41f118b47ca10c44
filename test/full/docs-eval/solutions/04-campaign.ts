import { call, findWhatsApp } from './api.ts';

const parameters = [{ variable_ref: 'contact.first_name', text: 'you' }, { text: '4821' }];
const template = { name: 'order_update', language: 'en_US', components: [{ type: 'body', parameters }] };
const { _id } = await call('POST', '/v1/campaigns', {
  name: 'Spring',
  inbox: (await findWhatsApp())._id,
  audience: { tags: ['vip'] },
  steps: [{ template }],
});
await call('POST', `/v1/campaigns/${_id}/start`);
