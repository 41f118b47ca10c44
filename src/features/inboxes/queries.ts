import type { ChannelName } from '../../channels/registry.ts';
import { exec, many, maybeOne, one, type Statement } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import type { Inbox } from './schemas.ts';

/** The settings of an inbox for one channel. */
export type Settings = Record<string, unknown>;

/** How the network rates a number, as it is stored. */
export type Standing = NonNullable<Inbox['standing']>;

/** An inbox as it is stored; the secrets in its channel settings are encrypted. */
export interface InboxRow {
  _id: string;
  company: string;
  name: string;
  /** The name by which clients of other protocols address the inbox. */
  door_name: string;
  /** What clients of Evolution API have set; null until then. */
  door_settings: Inbox['door_settings'] | null;
  channel: ChannelName;
  number: string;
  webhook_url: string | null;
  default_agent: string | null;
  default_owner: string | null;
  default_team: string | null;
  business_hours: string | null;
  away_text: string | null;
  csat_question: string | null;
  /** Who sees the inbox besides owners and admins; null for all users. */
  members: Inbox['members'];
  status: 'ACTIVE' | 'DELETED';
  /** The settings of each channel, by the name of their field. An inbox that changes its channel keeps the settings of the previous one. */
  settings: Record<string, Settings>;
  test_mode: { enabled: boolean; test_numbers: string[] };
  general_config: { include_operator_name_on_message: boolean };
  coexistence_enabled: boolean;
  process_unsupported_messages: boolean;
  disable_inbound_ai: boolean;
  pdf_local_text_extraction: boolean;
  reopen_days: number;
  network_address: string | null;
  network_account: string | null;
  connection_version: number;
  callback_told: boolean;
  connection: { status: 'PENDING' | 'CONNECTED' | 'ERROR'; checked_at: string | null; error: string | null };
  /** How the network rates the number; null on networks that say nothing of it, and until it is asked for. */
  standing: Standing | null;
  /** How far the old messages of the phone have come; null where none were asked for and none came. */
  history: Inbox['history'];
  createdAt: string;
  updatedAt: string;
}

export const COLUMNS = `_id, company_id as company, name, door_name, door_settings, channel, number, webhook_url, default_agent, default_owner, default_team, business_hours, away_text,
  csat_question, members, status,
  settings, test_mode, general_config, coexistence_enabled,
  process_unsupported_messages, disable_inbound_ai, pdf_local_text_extraction, reopen_days, network_address, network_account,
  connection_version, callback_told, json_build_object('status', connection_status, 'checked_at',
    to_char(connection_checked_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'error', connection_error) as connection, standing,
  history - 'contacts_asked' as history,
  created_at as "createdAt", updated_at as "updatedAt"`;

function byId(name: string, companyId: string, id: string, lock = ''): Statement {
  return {
    name,
    text: `select ${COLUMNS} from inboxes where company_id = $1 and _id = $2 ${lock}`,
    values: [companyId, id],
  };
}

export function findInbox(tx: TenantRead, id: string): Promise<InboxRow | null> {
  return maybeOne(tx, byId('inboxes.find', tx.companyId, id));
}

export function findInboxForUpdate(tx: TenantTx, id: string): Promise<InboxRow | null> {
  return maybeOne(tx, byId('inboxes.findForUpdate', tx.companyId, id, 'for no key update'));
}

export interface InboxFilter {
  status: string | null;
  channel: string | null;
  door_name: string | null;
}

const FILTER =
  'company_id = $1 and ($2::text is null or status = $2) and ($3::text is null or channel = $3) and ($4::text is null or door_name = $4)';

export function listInboxes(
  tx: TenantRead,
  { status, channel, door_name }: InboxFilter,
  window: Window,
): Promise<Page<InboxRow>> {
  return listPage(tx, window, {
    name: 'inboxes',
    columns: COLUMNS,
    from: 'inboxes',
    filter: FILTER,
    values: [tx.companyId, status, channel, door_name],
  });
}

/** Returns the first of these names that no other ACTIVE inbox has; null when all are taken. */
export function findFreeDoorName(tx: TenantTx, id: string, names: string[]): Promise<string | null> {
  return maybeOne<{ name: string }>(tx, {
    name: 'inboxes.findFreeDoorName',
    text: `select name from unnest($3::text[]) with ordinality as wanted (name, place)
      where not exists (select from inboxes
        where company_id = $1 and status = 'ACTIVE' and door_name = wanted.name and _id <> $2)
      order by place limit 1`,
    values: [tx.companyId, id, names],
  }).then((found) => found?.name ?? null);
}

/** Returns the id of the ACTIVE inbox with this name. */
export function findByDoorName(tx: TenantRead, name: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'inboxes.findByDoorName',
    text: `select _id from inboxes where company_id = $1 and status = 'ACTIVE' and door_name = $2`,
    values: [tx.companyId, name],
  });
}

/** Returns a list with the name of the filter when the company has no such inbox, else an empty list. */
export function findUnknownInbox(tx: TenantRead, inbox: string | null): Promise<string[]> {
  return findUnknown(tx, { name: 'inboxes.findUnknown', tables: { inbox: 'inboxes' }, asked: { inbox } });
}

/** The columns that requests write; the columns of the connection follow from the network's answers. */
const WRITABLE = [
  'name',
  'door_name',
  'door_settings',
  'channel',
  'number',
  'webhook_url',
  'default_agent',
  'default_owner',
  'default_team',
  'business_hours',
  'away_text',
  'csat_question',
  'members',
  'status',
  'settings',
  'test_mode',
  'general_config',
  'process_unsupported_messages',
  'disable_inbound_ai',
  'pdf_local_text_extraction',
  'reopen_days',
  'network_address',
  'network_account',
] as const satisfies (keyof InboxRow)[];

/** Returns the placeholder of a column; the first two placeholders are the company and the id. */
const parameter = (column: (typeof WRITABLE)[number]): string => `$${WRITABLE.indexOf(column) + 3}`;
const PARAMETERS = WRITABLE.map(parameter).join(', ');
const HAS_ADDRESS = `${parameter('webhook_url')}::text is not null`;

const writable = (row: InboxRow): unknown[] => WRITABLE.map((column) => row[column]);

export function insertInbox(tx: TenantTx, row: InboxRow): Promise<InboxRow> {
  return one(tx, {
    name: 'inboxes.insert',
    text: `insert into inboxes (company_id, _id, ${WRITABLE.join(', ')}, callback_told)
      values ($1, $2, ${PARAMETERS}, ${HAS_ADDRESS}) returning ${COLUMNS}`,
    values: [tx.companyId, row._id, ...writable(row)],
  });
}

/**
 * Writes the fields of an inbox. With `renewed` the credentials have to be checked again, and the result of a check that
 * is still running is ignored. With `moved` the inbox receives nothing until the network has accepted the credentials.
 */
export function updateInbox(
  tx: TenantTx,
  row: InboxRow,
  change: { renewed: boolean; moved: boolean },
): Promise<InboxRow> {
  const [renewed, moved] = [`$${WRITABLE.length + 3}`, `$${WRITABLE.length + 4}`];
  return one(tx, {
    name: 'inboxes.update',
    text: `update inboxes set (${WRITABLE.join(', ')}) = row(${PARAMETERS}), updated_at = now(),
        callback_told = callback_told or ${HAS_ADDRESS},
        connection_status = case when ${renewed} then 'PENDING' else connection_status end,
        connection_error = case when ${renewed} then null else connection_error end,
        connection_version = connection_version + case when ${renewed} then 1 else 0 end,
        accepted_at = case when ${moved} then null else accepted_at end,
        coexistence_enabled = coexistence_enabled and not ${moved}, standing = case when ${moved} then null else standing end,
        history = case when ${moved} then null else history end
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, row._id, ...writable(row), change.renewed, change.moved],
  });
}

/** The history of an inbox whose number has just become one that the Business app uses as well. */
export const BEGUN_HISTORY = `jsonb_build_object('status', 'REQUESTED', 'progress', 0, 'error', null, 'requested_at', null,
  'updated_at', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

/** An inbox after a change, and the status of its connection before; null when the change is announced whatever it was. */
export interface ChangedInbox extends InboxRow {
  was: InboxRow['connection']['status'] | null;
}

/** Begins a statement that changes the connection of an inbox and returns its row with CHANGED. */
export const BEFORE =
  'with before as (select connection_status as was from inboxes where company_id = $1 and _id = $2 for no key update)';
export const CHANGED = `${COLUMNS}, was`;

export interface ConnectionVerdict {
  status: 'PENDING' | 'ERROR';
  error: string;
  /** The version of the credentials that were checked. The result is not stored if they have changed since. */
  version: number;
}

/** Stores that the network refused the credentials or gave no answer; connectInbox stores an acceptance. */
export function setConnection(tx: TenantTx, id: string, verdict: ConnectionVerdict): Promise<ChangedInbox | null> {
  return maybeOne(tx, {
    name: 'inboxes.setConnection',
    text: `${BEFORE} update inboxes set connection_status = $3, connection_error = $4, connection_checked_at = now() from before
      where company_id = $1 and _id = $2 and connection_version = $5 returning ${CHANGED}`,
    values: [tx.companyId, id, verdict.status, verdict.error, verdict.version],
  });
}

/**
 * Stores how the network rates the number, unless the credentials have changed since or a newer answer is stored. Another rating is a
 * change of the inbox; the same one, told again, is not.
 */
export function setStanding(tx: TenantTx, id: string, told: { standing: Standing; version: number }): Promise<number> {
  return exec(tx, {
    name: 'inboxes.setStanding',
    text: `update inboxes set standing = $3,
        updated_at = case when standing - 'checked_at' = $3::jsonb - 'checked_at' then updated_at else now() end
      where company_id = $1 and _id = $2 and connection_version = $4
        and coalesce(standing->>'checked_at', '') <= $3::jsonb->>'checked_at'`,
    values: [tx.companyId, id, JSON.stringify(told.standing), told.version],
  });
}

/** Returns the inboxes with these ids. */
export function findInboxes(tx: TenantRead, ids: string[]): Promise<InboxRow[]> {
  return many(tx, {
    name: 'inboxes.findByIds',
    text: `select ${COLUMNS} from inboxes where company_id = $1 and _id = any($2::text[]) order by _id`,
    values: [tx.companyId, ids],
  });
}

/** Marks an inbox as ERROR; null when its credentials were replaced since or it is marked already. */
export function refuseInbox(
  tx: TenantTx,
  id: string,
  refusal: { version: number; error: string },
): Promise<ChangedInbox | null> {
  return maybeOne(tx, {
    name: 'inboxes.refuse',
    text: `${BEFORE} update inboxes set connection_status = 'ERROR', connection_error = $3, connection_checked_at = now() from before
      where company_id = $1 and _id = $2 and connection_version = $4 and status = 'ACTIVE' and connection_status <> 'ERROR'
      returning ${CHANGED}`,
    values: [tx.companyId, id, refusal.error, refusal.version],
  });
}
