/** The steps that record the examples of campaigns. */
import { waitUntil } from '../test/support/wait.ts';
import type { Take } from './example-steps.ts';

/** `forget` drops the example of a GET, so that its next call is recorded. */
export async function recordCampaigns(take: Take, inbox: string, forget: (path: string) => void): Promise<void> {
  const parameters = [{ variable_ref: 'contact.first_name', text: 'you' }, { text: '4821' }];
  const template = { name: 'order_update', language: 'en_US', components: [{ type: 'body', parameters }] };
  const filters = [{ field: 'contact.country_code', operator: 'eq', value: 'BR' }];
  const scheduled_at = '2099-05-02T12:00:00.000Z';
  const body = {
    name: 'Orders of May',
    inbox,
    steps: [{ template }],
    audience: { filters, tags: ['vip'] },
    scheduled_at,
  };
  const { _id } = await take('POST /v1/campaigns', '', { body });
  await take('PATCH /v1/campaigns/{id}', _id, {
    body: { sending_hours: { from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5] }, time_zone: 'America/Sao_Paulo' },
  });
  const added = { phone: '+55 11 98888-3001', name: 'Rosa', parameters: { order: '4822' } };
  await take('POST /v1/campaigns/{id}/enrollments', _id, { body: { contacts: [added, { phone: '123' }] } });
  const sheet = 'phone,name,order\n+5511988883002,Davi,4823\n';
  await take('POST /v1/campaigns/{id}/enrollments/sheet', _id, { form: { file: sheet } });
  await take('GET /v1/campaigns/{id}/preview', _id);
  await take('POST /v1/campaigns/{id}/start', _id);
  await take('POST /v1/campaigns/{id}/pause', _id);
  await take('POST /v1/campaigns/{id}/resume', _id);
  await take('POST /v1/campaigns/{id}/cancel', _id);
  await recordRunning(take, inbox, forget);
  const draft = await take('POST /v1/campaigns', '', { body });
  await take('DELETE /v1/campaigns/{id}', draft._id);
}

/** Lets a sequence run, whose second step waits for a day. */
async function recordRunning(take: Take, inbox: string, forget: (path: string) => void): Promise<void> {
  const template = { name: 'hello_world', language: 'pt_BR' };
  const steps = [{ template }, { template, delay_minutes: 1_440 }];
  const body = { name: 'Welcome', inbox, steps, audience: { tags: ['vip'] }, send_to_active_conversations: true };
  const { _id } = await take('POST /v1/campaigns', '', { body });
  await take('POST /v1/campaigns/{id}/start', _id);
  await waitUntil('the message to be read', async () => {
    forget('/v1/campaigns/{id}/analytics');
    return (await take('GET /v1/campaigns/{id}/analytics', _id)).read > 0;
  });
  await take('GET /v1/campaigns/{id}/export', _id);
  const { result } = await take('GET /v1/campaign-enrollments', `?campaign=${_id}`);
  await take('GET /v1/campaign-enrollments/{id}', result[0]._id);
  await take('POST /v1/campaign-enrollments/{id}/cancel', result[0]._id);
}
