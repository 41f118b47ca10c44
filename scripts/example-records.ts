/** The steps that record the examples of custom fields, businesses, teams, hours, contacts and imports. */
import { waitUntil } from '../test/support/wait.ts';
import type { Json } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

/** Three items of which the last cannot be stored. */
const PEOPLE = [
  { external_id: 'shop-4711', tags: ['vip'], custom_fields: { plan: 'Gold' } },
  { external_id: 'shop-4712', name: 'Ana Prado', phone_number: '+55 11 96666-5555' },
  { external_id: 'shop-4713', email: 'nobody' },
];

export async function recordRecords({ take, forget }: Recorder, user: Json): Promise<Json> {
  const field = { title: 'Plan', context: 'contact', type: 'SELECT', options: ['Basic', 'Gold'] };
  const plan = await take('POST /v1/custom-fields', '', { body: field });
  await take('PATCH /v1/custom-fields/{id}', plan._id, { body: { options: ['Basic', 'Silver', 'Gold'] } });
  const business = await take('POST /v1/businesses', '', {
    body: { name: 'Café Central', domain: 'cafe-central.example' },
  });
  await take('PATCH /v1/businesses/{id}', business._id, {
    body: { description: 'Buys every morning', owner: user._id },
  });
  await recordTeams(take, user._id);
  await recordHours(take);
  const body = {
    name: 'Maria Silva',
    email: 'maria@example.com',
    phone_number: '+55 11 98888-7777',
    tags: ['vip'],
    business: business._id,
    custom_fields: { plan: 'Basic' },
  };
  const contact = await take('POST /v1/contacts', '', { body, headers: { 'idempotency-key': 'contact-1' } });
  await take('PATCH /v1/contacts/{id}', contact._id, { body: { owner: user._id, custom_fields: { plan: 'Gold' } } });
  const other = await take('POST /v1/contacts', '', { body: { name: 'Maria', external_id: 'shop-4711' } });
  await take('POST /v1/contacts/{id}/merge', contact._id, { body: { contact: other._id } });
  const note = await take('POST /v1/contacts/{id}/notes', contact._id, {
    body: { content: 'Allergic to peanuts. Prefers messages to calls.' },
  });
  const place = `${contact._id},${note._id}`;
  await take('PATCH /v1/contacts/{id}/notes/{noteId}', place, { body: { content: 'Allergic to peanuts.' } });
  await take('DELETE /v1/contacts/{id}/notes/{noteId}', place);
  await take('POST /v1/contacts/bulk', '', { body: { contacts: PEOPLE } });
  await take('GET /v1/contacts/export');
  await take('GET /v1/conversations/export');
  const sheet = 'Nome,Telefone,Plano\nJoão Souza,+55 11 97777-6666,Gold\nRui,,Platin\n';
  await recordImport({ take, forget }, '/v1/contacts/import', [], {
    file: sheet,
    mapping: { Nome: 'name', Telefone: 'phone_number', Plano: 'custom_fields.plan' },
  });
  await take('GET /v1/contacts/import');
  await take('POST /v1/contacts/import/phone-numbers', '', {
    body: { phone_numbers: ['11 97777-6666', '12'], country: 'BR' },
  });
  return { contact, business, field: plan };
}

async function recordTeams(take: Take, user: string): Promise<void> {
  const team = await take('POST /v1/teams', '', {
    body: { name: 'Orders', description: 'Takes orders', members: [user] },
  });
  await take('PATCH /v1/teams/{id}', team._id, { body: { description: 'Takes and changes orders' } });
  await take('DELETE /v1/teams/{id}', team._id);
}

async function recordHours(take: Take): Promise<void> {
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI'].map((day) => ({ day, from: '09:00', to: '18:00' }));
  const body = { name: 'Shop', time_zone: 'America/Sao_Paulo', days };
  const hours = await take('POST /v1/business-hours', '', { body });
  const special_dates = [
    { date: '2026-12-24', name: 'Christmas Eve', spans: [{ from: '09:00', to: '12:00' }] },
    { date: '2026-12-25', name: 'Christmas', spans: [] },
  ];
  await take('PATCH /v1/business-hours/{id}', hours._id, { body: { special_dates } });
  await take('DELETE /v1/business-hours/{id}', hours._id);
  const targets = {
    first_reply_minutes: 30,
    next_reply_minutes: 60,
    close_minutes: 1_440,
    within_business_hours: true,
  };
  const policy = await take('POST /v1/sla-policies', '', { body: { name: 'Usual', ...targets } });
  await take('PATCH /v1/sla-policies/{id}', policy._id, { body: { priorities: ['HIGH', 'URGENT'] } });
  await take('DELETE /v1/sla-policies/{id}', policy._id);
}

export async function recordViews(take: Take, owner: string): Promise<void> {
  const filters = { open: true, owner, tag: 'order' };
  const view = await take('POST /v1/views', '', { body: { name: 'Open orders', is_shared: true, filters } });
  await take('GET /v1/views/counts');
  await take('PATCH /v1/views/{id}', view._id, { body: { sort: 'waiting_since' } });
  await take('DELETE /v1/views/{id}', view._id);
  const vips = JSON.stringify([{ field: 'contact.tags', operator: 'eq', value: 'vip' }]);
  const segment = await take('POST /v1/segments', '', {
    body: { name: 'VIPs', is_shared: true, filters: { filters: vips } },
  });
  await take('GET /v1/segments/counts');
  await take('PATCH /v1/segments/{id}', segment._id, { body: { name: 'Best customers' } });
  await take('DELETE /v1/segments/{id}', segment._id);
}

interface Recorder {
  take: Take;
  /** Drops the example of a GET, so that its next call is recorded. */
  forget(path: string): void;
}

/** Records an import and its progress. `path` is the operation, and `ids` are those of its path. */
export async function recordImport(
  { take, forget }: Recorder,
  path: string,
  ids: string[],
  form: { file: string; mapping?: Record<string, string> },
): Promise<void> {
  const { _id } = await take(`POST ${path}`, ids.join(), { form });
  const read = `GET ${path}/{importId}`;
  await waitUntil('the import', async () => {
    forget(`${path}/{importId}`);
    return (await take(read, [...ids, _id].join())).finished_at !== null;
  });
  await take(`${read}/errors`, [...ids, _id].join());
}
