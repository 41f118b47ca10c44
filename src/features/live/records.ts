/** The kinds of records that a stream brings: the event of each, who may see it, and how it is read. */
import type { Scope } from '../../platform/values/scopes.ts';
import type { Secrets } from '../../platform/store/secrets.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { readFollowUps } from '../agents/follow-ups/follow-ups.ts';
import { readRuns } from '../bulk/bulk.ts';
import { readCampaigns } from '../campaigns/campaigns.ts';
import { readContacts } from '../contacts/contacts.ts';
import { readNotes } from '../contacts/notes/notes.ts';
import { readContactRuns } from '../contacts/bulk/runs.ts';
import { readConversationRuns } from '../conversations/bulk/runs.ts';
import { readConversations } from '../conversations/conversations.ts';
import { readHistoryEntries } from '../conversations/history/history.ts';
import { readImports } from '../imports/imports.ts';
import { readInboxes } from '../inboxes/inboxes.ts';
import { readNotifications } from '../notifications/notifications.ts';
import { readMessages } from '../messages/messages.ts';
import { readSurveys } from '../csat/csat.ts';
import { readScheduledMessages } from '../scheduled-messages/scheduled-messages.ts';
import { SEGMENTS, VIEWS, type ViewKind } from '../views/kinds.ts';
import { readViews } from '../views/views.ts';
import { readRows } from '../tables/rows/rows.ts';
import { findInboxesOf, type NotedChange } from './queries.ts';
import type { RecordEvent } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

interface Kind {
  event: RecordEvent;
  scope: Scope;
  /** Whether a record that is not found has been removed; records of the other kinds are only forgotten with time. */
  isRemovable: boolean;
  /** `secrets`: for records that show masks of what is stored encrypted. `user`: the only user who may see them; null for all. */
  read(read: TenantRead, ids: string[], secrets: Secrets, user: string | null): Promise<ReadRecord[]>;
}

/** A record, and the inbox to which it belongs, if it does. */
interface ReadRecord {
  _id: string | null;
  inbox?: string | null;
  conversation?: string | null;
}

/**
 * The kinds by the table whose changes are noted, in the order in which they are sent: what others refer to comes first. A change that only one
 * user may see is noted as `<table>/<id of the user>`.
 */
const KINDS = new Map<string, Kind[]>([
  ['inboxes', [{ event: 'inbox', scope: 'inboxes:read', isRemovable: false, read: readInboxes }]],
  ['contacts', [{ event: 'contact', scope: 'contacts:read', isRemovable: true, read: readContacts }]],
  ['contact_notes', [{ event: 'contact_note', scope: 'contacts:read', isRemovable: true, read: readNotes }]],
  ['campaigns', [{ event: 'campaign', scope: 'campaigns:read', isRemovable: true, read: readCampaigns }]],
  [
    'conversations',
    [{ event: 'conversation', scope: 'conversations:read', isRemovable: true, read: readConversations }],
  ],
  [
    'conversation_history',
    [{ event: 'history_entry', scope: 'conversations:read', isRemovable: false, read: readHistoryEntries }],
  ],
  ['messages', [{ event: 'message', scope: 'messages:read', isRemovable: true, read: readMessages }]],
  [
    'runs',
    [
      { event: 'contact_import', scope: 'contacts:read', isRemovable: false, read: importsOfKind('CONTACTS') },
      { event: 'table_import', scope: 'tables:read', isRemovable: false, read: importsOfKind('TABLE') },
      { event: 'conversation_run', scope: 'conversations:read', isRemovable: false, read: readConversationRuns },
      { event: 'contact_run', scope: 'contacts:read', isRemovable: false, read: readContactRuns },
    ],
  ],
  ['follow_ups', [{ event: 'follow_up', scope: 'agents:read', isRemovable: false, read: readFollowUps }]],
  ['csat_surveys', [{ event: 'csat_survey', scope: 'conversations:read', isRemovable: false, read: readSurveys }]],
  [
    'scheduled_messages',
    [{ event: 'scheduled_message', scope: 'messages:read', isRemovable: false, read: readScheduledMessages }],
  ],
  ['table_rows', [{ event: 'table_row', scope: 'tables:read', isRemovable: true, read: readRows }]],
  [
    'notifications',
    [{ event: 'notification', scope: 'conversations:read', isRemovable: false, read: readNotifications }],
  ],
  ['views', [viewsOfKind(VIEWS)]],
  ['segments', [viewsOfKind(SEGMENTS)]],
  ['bulk_runs', [{ event: 'bulk_run', scope: 'messages:read', isRemovable: false, read: readRuns }]],
]);

function viewsOfKind(kind: ViewKind): Kind {
  const read: Kind['read'] = (tx, ids, _secrets, user) => readViews(kind, tx, ids, user);
  return { event: kind.word, scope: kind.scopes.read, isRemovable: true, read };
}

function importsOfKind(kind: 'CONTACTS' | 'TABLE'): Kind['read'] {
  return async (read, ids) => (await readImports(read, ids)).filter((each) => each.kind === kind);
}

/** An event with the scope that its receiver needs. */
export interface LiveEvent {
  name: RecordEvent | 'removed' | 'reset' | 'presence';
  scope: Scope;
  data: object;
  /** The only user who receives it; absent for all who have the scope. */
  user?: string;
  /** Only those who see this inbox receive it. */
  inbox?: string;
}

/** Ids of records that have changed, by the table that holds them. */
export type ChangedRecords = Map<string, Set<string>>;

export function groupChanges(changes: NotedChange[]): ChangedRecords {
  const changed: ChangedRecords = new Map();
  for (const { kind, ids } of changes) addChanges(changed, [[kind, ids]]);
  return changed;
}

export function addChanges(to: ChangedRecords, more: Iterable<[table: string, ids: Iterable<string>]>): void {
  for (const [table, ids] of more) to.set(table, new Set([...(to.get(table) ?? []), ...ids]));
}

// Beyond this number of changed records of a kind at once, clients read their lists again, which are shorter.
const MOST_AT_ONCE = declareLimit(500, {
  topic: 'Live',
  what: 'Stream: records of one kind that change at the same time',
  beyond: '`reset`; read the list again',
});
// The records of one statement.
const PORTION = 100;

/** Reads the changed records, a portion at a time, as events. */
export async function* readChanges(
  read: TenantRead,
  changed: ChangedRecords,
  secrets: Secrets,
): AsyncGenerator<LiveEvent[]> {
  for (const [table, kinds] of KINDS)
    for (const [noted, ids] of changed) {
      const [of, user = null] = noted.split('/');
      if (of === table) for (const kind of kinds) yield* readKind({ read, secrets, user }, kind, [...ids]);
    }
}

interface Reading {
  read: TenantRead;
  secrets: Secrets;
  user: string | null;
}

async function* readKind({ read, secrets, user }: Reading, kind: Kind, ids: string[]): AsyncGenerator<LiveEvent[]> {
  const only = user === null ? {} : { user };
  if (ids.length > MOST_AT_ONCE) yield [{ name: 'reset', scope: kind.scope, data: { events: [kind.event] }, ...only }];
  else
    for (let from = 0; from < ids.length; from += PORTION) {
      const portion = ids.slice(from, from + PORTION);
      const records = await kind.read(read, portion, secrets, user);
      const inboxes = await findInboxes(read, kind, records);
      const events = toEvents(kind, portion, records, inboxes);
      yield events.map((event) => ({ ...event, ...only }));
    }
}

/** Events whose records name a conversation, but not its inbox. */
const OF_CONVERSATION: readonly string[] = ['history_entry', 'notification'];

/** Returns the inbox of each record: undefined for one that belongs to none, and empty when only those may receive it who see all inboxes. */
async function findInboxes(read: TenantRead, { event }: Kind, records: ReadRecord[]): Promise<(string | undefined)[]> {
  if (event === 'inbox') return records.map(({ _id }) => _id ?? undefined);
  if (!OF_CONVERSATION.includes(event)) return records.map(({ inbox }) => inbox ?? undefined);
  const conversations = await findInboxesOf(read, [
    ...new Set(records.flatMap(({ conversation }) => conversation ?? [])),
  ]);
  // Its conversation may have been removed meanwhile.
  return records.map(({ conversation }) => (conversation ? (conversations.get(conversation) ?? '') : undefined));
}

/** Writes a portion of the changed records as events; those that were not found may have been removed. */
function toEvents(
  { event, scope, isRemovable }: Kind,
  ids: string[],
  records: ReadRecord[],
  inboxes: (string | undefined)[],
): LiveEvent[] {
  const found = new Set(records.map(({ _id }) => _id));
  const removed = isRemovable ? ids.filter((id) => !found.has(id)) : [];
  return [
    ...records.map((data, index) => {
      const inbox = inboxes[index];
      return { name: event, scope, data, ...(inbox !== undefined && { inbox }) };
    }),
    ...removed.map((_id) => ({ name: 'removed' as const, scope, data: { event, _id } })),
  ];
}

/** The scopes that make a difference to a stream. */
export const SCOPES: Scope[] = [...new Set([...KINDS.values()].flat().map(({ scope }) => scope))];

/** The events of the records that these scopes may read. */
export const visibleEvents = (scopes: Scope[]): RecordEvent[] =>
  [...KINDS.values()]
    .flat()
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ event }) => event);
