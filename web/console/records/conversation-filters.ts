/** What a list of conversations shows, and in which order. */
import type { Conversation, ConversationsListQuery } from '@parley/sdk';
import { PRIORITIES } from '../texts/conversation-states.ts';

/** What a view shows. The console can tell by itself whether a conversation belongs to it, unless it searches names or custom fields. */
export type ConversationFilter = Pick<
  ConversationsListQuery,
  | 'status'
  | 'open'
  | 'snoozed'
  | 'awaits_reply'
  | 'owner'
  | 'attendant'
  | 'team'
  | 'agent'
  | 'handled_by'
  | 'inbox'
  | 'pipeline'
  | 'step'
  | 'contact'
  | 'tag'
  | 'search'
  | 'filters'
  | 'unread'
  | 'priority'
  | 'channel'
  | 'sla'
  | 'waiting_longer_than'
  | 'sort'
>;
export type SlaState = NonNullable<ConversationFilter['sla']>;
export type ConversationSort = NonNullable<ConversationFilter['sort']>;

/** Returns the id that a filter asks for; null when it asks for conversations without one. */
const toId = (filter: string): string | null => (filter === 'none' ? null : filter);

type Matches = (conversation: Conversation) => boolean;

/** Returns true when only the platform can tell what the filter finds. */
export const isSearch = ({ search, filters }: ConversationFilter): boolean =>
  search !== undefined || filters !== undefined;

/** Returns the rule of a view. What is searched in it, only the platform can find. */
export function ruleOf({
  status,
  open,
  snoozed,
  awaits_reply,
  owner,
  attendant,
  team,
  agent,
  handled_by,
  inbox,
  pipeline,
  step,
  contact,
  tag,
  unread,
  priority,
  channel,
  sla,
  waiting_longer_than,
}: ConversationFilter): Matches {
  return (conversation) =>
    (status === undefined || conversation.status === status) &&
    (open === undefined || (conversation.status !== 'CLOSED') === open) &&
    (snoozed === undefined || (conversation.status === 'SNOOZED') === snoozed) &&
    (awaits_reply === undefined || conversation.awaits_reply === awaits_reply) &&
    (owner === undefined || conversation.owner === toId(owner)) &&
    (attendant === undefined || conversation.attendant === attendant) &&
    (team === undefined || conversation.team === toId(team)) &&
    (agent === undefined || conversation.agent === agent) &&
    (handled_by === undefined || conversation.handled_by === handled_by) &&
    (pipeline === undefined || conversation.pipeline === pipeline) &&
    (inbox === undefined || conversation.inbox === inbox) &&
    (step === undefined || conversation.step === toId(step)) &&
    (contact === undefined || conversation.contact === contact) &&
    (tag === undefined || conversation.tags.includes(tag)) &&
    (unread === undefined || (conversation.status !== 'CLOSED' && conversation.unread_count > 0) === unread) &&
    (priority === undefined || priority.split(',').includes(conversation.priority ?? 'none')) &&
    (channel === undefined || conversation.channel === channel) &&
    (sla === undefined || readSlaState(conversation) === sla) &&
    (waiting_longer_than === undefined || hasWaited(conversation, waiting_longer_than));
}

/** A target that is due within this time is due soon, as for the platform. */
const SOON_MINUTES = 30;

/** Whether the next target of a conversation is missed, or due soon; null for neither. A missed one is also known without a right clock. */
export function readSlaState({ sla }: Conversation): SlaState | null {
  return sla && sla.breached_at !== null ? 'BREACHED' : readTargetState(sla?.due_at ?? null);
}

/** Whether one target is missed, or due soon; null for neither. */
export function readTargetState(at: string | null): SlaState | null {
  if (at === null) return null;
  const minutes = (Date.parse(at) - Date.now()) / 60_000;
  if (minutes <= 0) return 'BREACHED';
  return minutes <= SOON_MINUTES ? 'DUE_SOON' : null;
}

/** A slow clock of this computer makes the waiting time negative, so 0 minutes accepts every conversation that waits. */
const hasWaited = ({ waiting_since }: Conversation, minutes: number): boolean =>
  waiting_since !== null && (minutes === 0 || Date.parse(waiting_since) <= Date.now() - minutes * 60_000);

/** Returns the value that a list is sorted by, the largest first. */
export const placesOf =
  (sort: ConversationSort | undefined) =>
  ({ last_message_at, waiting_since, priority }: Conversation): string => {
    if (sort === '-priority') return String(priority === null ? 0 : PRIORITIES.length - PRIORITIES.indexOf(priority));
    if (sort !== 'waiting_since') return last_message_at ?? '';
    // Who has waited longest comes first.
    return String(LATEST_MS - Date.parse(waiting_since ?? '')).padStart(String(LATEST_MS).length, '0');
  };
/** The end of the year 9999. */
const LATEST_MS = 253_402_300_799_999;
