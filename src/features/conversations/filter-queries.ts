/** The filters of the list of conversations as SQL. */
import { heldCondition, type ValueFilter } from '../../platform/store/filters/conditions.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';

const COLUMNS = {
  status: 'status',
  handled_by: 'handled_by',
  inbox: 'inbox_id',
  contact: 'contact_id',
  owner: 'owner_id',
  attendant: 'attendant_id',
  team: 'team_id',
  agent: 'agent_id',
  pipeline: 'pipeline_id',
  step: 'step_id',
} as const;
/** The filters with a value that are not compared with a column. */
const OTHERS = ['tag', 'waitingMinutes', 'priorities', 'channel', 'sla'] as const;
// As in the console.
const SOON_MINUTES = 30;
type FilterColumn = keyof typeof COLUMNS;
const FILTERED = Object.keys(COLUMNS) as FilterColumn[];

/** The filters of a list; a filter that the request does not use is null. */
export type ConversationFilter = Record<FilterColumn | 'tag', string | null> & {
  /** True for conversations with any status but CLOSED, false for closed ones. */
  isOpen: boolean | null;
  isSnoozed: boolean | null;
  /** True for conversations whose contact has not replied to a campaign yet, false for all others. */
  awaitsReply: boolean | null;
  /** True for open conversations with unread messages, false for all others. */
  isUnread: boolean | null;
  /** True for conversations whose contact waits for an answer; false for all. */
  isWaiting: boolean;
  /** The least time that the contact has waited. */
  waitingMinutes: number | null;
  /** The numbers of the priorities of which a conversation has one. */
  priorities: number[] | null;
  channel: string | null;
  /** Whether the next target of the SLA is missed, or due soon. */
  sla: 'DUE_SOON' | 'BREACHED' | null;
  /** Conditions on custom fields, of which all have to hold. */
  values: ValueFilter[];
  /** True for conversations without an owner. */
  isOwnerless: boolean;
  /** True for conversations without a team. */
  isTeamless: boolean;
  /** True for conversations without a step. */
  isStepless: boolean;
  /** The contacts of a search, and the id that the search may be; null without a search. */
  found: { contacts: string[]; id: string | null } | null;
};

interface Conditions {
  text: string;
  /** The values of the parameters; the first is the company. */
  values: unknown[];
  /** The suffix of the statement's name: each text of a prepared statement needs its own name. */
  name: string;
}

/** Builds the text with only the filters that are used, so that PostgreSQL can choose the index of each filter. */
export function buildConditions({ companyId, sight }: TenantRead, filter: ConversationFilter): Conditions {
  const values: unknown[] = [companyId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const bindText = (value: string): string => `${bind(value)}::text`;
  const asked = FILTERED.filter((name) => filter[name] !== null);
  const parts = ['v.company_id = $1', ...asked.map((name) => `v.${COLUMNS[name]} = ${bind(filter[name])}`)];
  // The policy says the same, but only this lets an index of the inboxes be used.
  if (sight) parts.push(`v.inbox_id = any(${bind(sight.inboxes)}::text[])`);
  if (filter.tag !== null) parts.push(`v.tags @> array[${bind(filter.tag)}::text] and v.tags <> '{}'`);
  if (filter.isOpen !== null) parts.push(`v.status ${filter.isOpen ? '<>' : '='} 'CLOSED'`);
  if (filter.isSnoozed !== null) parts.push(`v.status ${filter.isSnoozed ? '=' : '<>'} 'SNOOZED'`);
  if (filter.isUnread !== null)
    parts.push(`${filter.isUnread ? '' : 'not '}(v.status <> 'CLOSED' and v.unread_count > 0)`);
  // A closed conversation never waits. The status lets PostgreSQL use the index of the open ones.
  if (filter.isWaiting) parts.push(`v.status <> 'CLOSED' and v.waiting_since is not null`);
  if (filter.waitingMinutes !== null)
    parts.push(
      `v.status <> 'CLOSED' and v.waiting_since <= now() - make_interval(mins => ${bind(filter.waitingMinutes)})`,
    );
  if (filter.priorities !== null) parts.push(`v.priority = any(${bind(filter.priorities)}::int[])`);
  if (filter.channel !== null)
    parts.push(
      `v.inbox_id = any(array(select _id from inboxes where company_id = $1 and channel = ${bind(filter.channel)}))`,
    );
  if (filter.sla !== null)
    parts.push(
      `exists (select from conversation_slas s join sla_policies p on p.company_id = s.company_id and p._id = s.policy_id
        where s.company_id = v.company_id and s.conversation_id = v._id and s.due_at <= now() + interval '${SOON_MINUTES} minutes'
          and (s.due_at <= now()) = ${bind(filter.sla === 'BREACHED')})`,
    );
  if (filter.awaitsReply !== null) parts.push(filter.awaitsReply ? 'v.awaits_reply' : 'not v.awaits_reply');
  if (filter.isOwnerless) parts.push('v.owner_id is null');
  if (filter.isTeamless) parts.push('v.team_id is null');
  if (filter.isStepless) parts.push('v.step_id is null');
  for (const { _id, ...test } of filter.values)
    parts.push(`(${heldCondition(`(v.custom_fields -> ${bindText(_id)})`, test, bindText)})`);
  if (filter.found) {
    const { contacts, id } = filter.found;
    parts.push(`(v.contact_id = any(${bind(contacts)}::text[]) or v._id = ${bind(id)})`);
  }
  const names = [...listAsked(filter), ...(filter.found ? ['found'] : []), ...(sight ? ['seen'] : [])];
  return { text: parts.join(' and '), values, name: names.join('.') || 'all' };
}

/** Returns the names of the filters that are used, without the search. */
export function listAsked(filter: ConversationFilter): string[] {
  const { isOpen, isSnoozed, awaitsReply, isUnread, isWaiting, isOwnerless, isTeamless, isStepless } = filter;
  return [
    FILTERED.filter((name) => filter[name] !== null),
    OTHERS.filter((name) => filter[name] !== null),
    isOpen === null ? [] : [isOpen ? 'open' : 'closed'],
    isSnoozed === null ? [] : [isSnoozed ? 'snoozed' : 'unsnoozed'],
    awaitsReply === null ? [] : [awaitsReply ? 'awaiting' : 'unawaiting'],
    isUnread === null ? [] : [isUnread ? 'unread' : 'read'],
    isWaiting ? ['waiting'] : [],
    isOwnerless ? ['ownerless'] : [],
    isTeamless ? ['teamless'] : [],
    isStepless ? ['stepless'] : [],
    filter.values.length > 0 ? ['values'] : [],
  ].flat();
}

// Users who are being removed do not count as existing.
const USERS = '(select company_id, _id from users where removed_at is null) u';
const TABLES = {
  inbox: 'inboxes',
  contact: 'contacts',
  owner: USERS,
  attendant: USERS,
  team: '(select company_id, _id from teams where removed_at is null) t',
  agent: 'agents',
  pipeline: 'pipelines',
  step: 'pipeline_steps',
} as const;

/** Returns the names of the filters whose records do not exist. */
export function findUnknownFilters(tx: TenantRead, asked: ConversationFilter): Promise<string[]> {
  return findUnknown(tx, { name: 'conversations.findUnknown', tables: TABLES, asked });
}
