/** Exports conversations as CSV: the fields of the record under their names, and custom fields under their slugs. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { sendCsv } from '../../platform/http/download.ts';
import { findNames, groupIds } from '../../platform/store/names.ts';
import { walkPages } from '../../platform/store/paging.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { csvLine } from '../../platform/work/sheets/csv.ts';
import type { CustomField } from '../custom-fields/schemas.ts';
import { listAllDefinitions } from '../custom-fields/values.ts';
import { toCell } from '../imports/cells.ts';
import { pageConversations } from './list.ts';
import { NAMES } from './names-sql.ts';
import type { Conversation, ConversationFilters } from './schemas.ts';

const SUMMARY = ['name', 'phone_number', 'email'] as const;
/** What is also written by its name, because people read the file, too. */
const NAMED = [
  ['inbox', 'inboxes'],
  ['owner', 'users'],
  ['team', 'teams'],
  ['agent', 'agents'],
  ['step', 'steps'],
] as const satisfies [keyof Conversation, keyof typeof NAMES][];
const COLUMNS = [
  'inbox',
  'channel',
  'status',
  'priority',
  'handled_by',
  'agent',
  'owner',
  'attendant',
  'team',
  'pipeline',
  'step',
  'campaign',
  'tags',
  'unread_count',
  'last_message_at',
  'last_inbound_at',
  'waiting_since',
  'snoozed_until',
  'closed_at',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Conversation)[];

// A page of this many conversations takes some ten milliseconds.
const PORTION = 500;

/** Exports what the list shows with these filters, the newest conversation first. Throws what the list throws, before the answer begins. */
export async function exportConversations(
  kit: Kit,
  tenant: Tenant,
  filters: ConversationFilters,
  reply: FastifyReply,
): Promise<Readable> {
  const walker = { ...tenant, read: tenant.walk };
  const pages = walkPages(PORTION, (window) =>
    pageConversations(walker, { ...filters, ...window, sort: '-createdAt' }),
  );
  // Checks the filters.
  await pageConversations(tenant, { ...filters, limit: 1, skipCount: true, sort: '-createdAt' });
  const fields = await listAllDefinitions(tenant.read, 'conversation');
  await kit.admitExport(tenant.companyId, reply);
  return sendCsv(reply, 'conversations.csv', writePortions(tenant, pages, fields));
}

async function* writePortions(
  tenant: Tenant,
  pages: AsyncIterable<Conversation[]>,
  fields: CustomField[],
): AsyncGenerator<string> {
  const summary = SUMMARY.map((name) => `contact_${name}`);
  const named = NAMED.map(([name]) => `${name}_name`);
  const custom = fields.map(({ slug }) => `custom_fields.${slug}`);
  yield csvLine(['_id', 'contact', ...summary, ...named, ...COLUMNS, ...custom]);
  for await (const page of pages) {
    const ids = page.flatMap((each) => NAMED.map(([name, kind]) => [kind, each[name]] as const));
    const names = await findNames(tenant.walk, NAMES, groupIds(ids));
    yield page.map((each) => toLine(each, fields, names)).join('');
  }
}

function toLine(conversation: Conversation, fields: CustomField[], names: Map<string, string>): string {
  const { _id, contact, contact_summary: summary, custom_fields } = conversation;
  const held = new Map(custom_fields.map((field) => [field._id, field.value]));
  return csvLine([
    ...[_id, contact, ...SUMMARY.map((name) => summary[name])].map(toCell),
    ...NAMED.map(([name]) => toCell(names.get(conversation[name] ?? '') ?? null)),
    ...COLUMNS.map((column) => toCell(conversation[column])),
    ...fields.map((field) => toCell(held.get(field._id))),
  ]);
}
