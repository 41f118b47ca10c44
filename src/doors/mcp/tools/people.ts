/** Tools for contacts. */
import { Type } from 'typebox';
import type { JsonObject } from '../../json.ts';
import { defineTool, FilterValue, Id, Optional, PAGE, readList, Text, ToolError, type ToolCaller } from '../tool.ts';
import { showContact, showConversation, showWholeContact } from '../views.ts';

const FieldValues = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Values of custom fields by their slug; null clears one',
});
const Tags = (description: string) => Optional(Type.Array(Text('A tag', 100), { maxItems: 50, description }));
const Filter = Type.Object({
  field: Text(
    'contact.name, contact.email, contact.phone_number, contact.tags, contact.owner or the slug of a custom field',
  ),
  operator: Text(
    'eq, neq, contains, not_contains, starts_with, ends_with, is_empty, is_not_empty, gt, gte, lt, lte',
    20,
  ),
  value: Optional(FilterValue),
});

export const PEOPLE = [
  defineTool({
    name: 'search_contacts',
    set: 'people',
    title: 'Search contacts',
    description:
      'Finds contacts by part of a name, e-mail, number or WhatsApp username, and by filters. Not for messages: use search_messages.',
    kind: 'READ',
    scopes: ['contacts:read'],
    input: {
      query: Optional(Text('Part of a name, e-mail, number or WhatsApp username')),
      filters: Optional(Type.Array(Filter, { maxItems: 15 })),
      ...PAGE,
    },
    run: (caller, { query: search, filters, ...page }) =>
      readList(caller, '/v1/contacts', page, { query: { search, filters }, show: showContact }),
  }),
  defineTool({
    name: 'get_contact',
    set: 'people',
    title: 'Read a contact',
    description: 'Returns all fields of one contact and its open conversations. Not for a list: use search_contacts.',
    kind: 'READ',
    scopes: ['contacts:read'],
    input: { contact: Id('The contact') },
    async run(caller, { contact }) {
      const record = await caller.call('GET', `/v1/contacts/${contact}`);
      const open = { contact, open: true };
      const conversations = caller.may('conversations:read')
        ? await readList(caller, '/v1/conversations', { limit: 10 }, { query: open, show: showConversation })
        : null;
      return { ...showWholeContact(record), ...(conversations && { open_conversations: conversations['items'] }) };
    },
  }),
  defineTool({
    name: 'save_contact',
    set: 'people',
    title: 'Create or change a contact',
    description:
      'Changes the contact with this id, number, e-mail or external id, or creates one. Not for deleting or merging contacts.',
    kind: 'WRITE',
    scopes: ['contacts:read', 'contacts:create', 'contacts:update'],
    input: {
      contact: Optional(Id('The contact to change')),
      phone: Optional(Text('With country code', 40)),
      email: Optional(Text('The e-mail address', 254)),
      external_id: Optional(Text('The id in another system')),
      name: Optional(Text('The name')),
      tags_add: Tags('Tags to add'),
      tags_remove: Tags('Tags to remove'),
      custom_fields: Optional(FieldValues),
    },
    async run(caller, { contact, phone, tags_add = [], tags_remove = [], ...given }) {
      const values = { ...given, phone_number: phone };
      const saved = contact === undefined ? await upsert(caller, values) : { _id: contact, created: false };
      const before = await caller.call('GET', `/v1/contacts/${saved._id}`);
      const kept = (before['tags'] as string[]).filter((tag) => !tags_remove.includes(tag));
      const tags = [...new Set([...kept, ...tags_add])];
      const isTagged = tags_add.length > 0 || tags_remove.length > 0;
      const body = { ...(contact !== undefined && values), ...(isTagged && { tags }) };
      const isWhole = Object.values(body).every((value) => value === undefined);
      const record = isWhole ? before : await caller.call('PATCH', `/v1/contacts/${saved._id}`, { body });
      return { created: saved.created, ...showWholeContact(record) };
    },
  }),
];

/** Changes the contact that has one of these names, or creates it. */
async function upsert({ call }: ToolCaller, values: JsonObject): Promise<{ _id: string; created: boolean }> {
  const { items } = await call('POST', '/v1/contacts/bulk', { body: { contacts: [values] } });
  const { status, contact, errors } = items[0] as JsonObject;
  if (contact === null) {
    const causes = (errors as JsonObject[]).map(({ field, message }) => (field ? `${field}: ${message}` : message));
    throw new ToolError(causes.join('\n'));
  }
  return { _id: contact as string, created: status === 'CREATED' };
}
