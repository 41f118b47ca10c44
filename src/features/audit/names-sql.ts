/** The names of records that only the audit asks for. */

const CONTACT = 'coalesce(c.name, c.phone_number, c.email)';
const IMPORT = `select _id, input ->> 'file_name' from runs where company_id = $1 and kind = 'IMPORT'`;

/**
 * Conversations and messages are named by their contact, rows by their table and their place in it. Private views, segments, macros and quick
 * replies are left out: only their owner sees them.
 */
export const NAMES = {
  companies: 'select _id, name from (select *, _id as company_id from companies) c where company_id = $1',
  'custom-fields': 'select _id, title from custom_fields where company_id = $1',
  attachments: 'select _id, file_name from attachments where company_id = $1',
  'business-hours': 'select _id, name from business_hours where company_id = $1',
  'sla-policies': 'select _id, name from sla_policies where company_id = $1',
  businesses: 'select _id, name from businesses where company_id = $1',
  contacts: `select _id, ${CONTACT} from contacts c where company_id = $1`,
  'contact-imports': `${IMPORT} and input ->> 'kind' = 'CONTACTS'`,
  conversations: `select v._id, ${CONTACT} from conversations v
    join contacts c on c.company_id = v.company_id and c._id = v.contact_id where v.company_id = $1`,
  messages: `select m._id, ${CONTACT} from messages m
    join contacts c on c.company_id = m.company_id and c._id = m.contact_id where m.company_id = $1`,
  views: `select _id, name from views where company_id = $1 and is_shared and kind = 'CONVERSATIONS'`,
  segments: `select _id, name from views where company_id = $1 and is_shared and kind = 'CONTACTS'`,
  macros: 'select _id, name from macros where company_id = $1 and owner_id is null',
  'quick-replies': 'select _id, title from quick_replies where company_id = $1 and owner_id is null',
  pipelines: 'select _id, name from pipelines where company_id = $1',
  templates: 'select _id, name from templates where company_id = $1',
  campaigns: 'select _id, name from campaigns where company_id = $1',
  knowledge: 'select _id, name from knowledge_items where company_id = $1',
  tables: 'select _id, name from tables where company_id = $1',
  rows: `select r._id, t.name || ' #' || r.row_index from table_rows r
    join tables t on t.company_id = r.company_id and t._id = r.table_id where r.company_id = $1`,
  'table-imports': `${IMPORT} and input ->> 'kind' = 'TABLE'`,
  'mcp-servers': 'select _id, name from mcp_servers where company_id = $1',
  rules: 'select _id, name from rules where company_id = $1',
} as const;
