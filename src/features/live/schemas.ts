import type { Readable } from 'node:stream';
import { Type, type Static, type TSchema } from 'typebox';
import { define, oneOf, recordId, ref, strict, plain } from '../../platform/values/schema.ts';
import { FollowUp } from '../agents/follow-ups/schemas.ts';
import { BulkRun } from '../bulk/schemas.ts';
import { Campaign } from '../campaigns/schemas.ts';
import { ContactNote } from '../contacts/notes/schemas.ts';
import { Contact } from '../contacts/schemas.ts';
import { ContactRun } from '../contacts/bulk/schemas.ts';
import { ConversationRun } from '../conversations/bulk/schemas.ts';
import { HistoryEntry } from '../conversations/history/schemas.ts';
import { Conversation } from '../conversations/schemas.ts';
import { Import } from '../imports/schemas.ts';
import { Inbox } from '../inboxes/schemas.ts';
import { Message } from '../messages/schemas.ts';
import { Notification } from '../notifications/schemas.ts';
import { CsatSurvey } from '../csat/schemas.ts';
import { ScheduledMessage } from '../scheduled-messages/schemas.ts';
import { Row } from '../tables/schemas.ts';
import { SEGMENT_SCHEMAS, VIEW_SCHEMAS } from '../views/schemas.ts';

const RECORD_EVENTS = [
  'inbox',
  'contact',
  'contact_note',
  'conversation',
  'history_entry',
  'message',
  'contact_import',
  'table_import',
  'conversation_run',
  'contact_run',
  'bulk_run',
  'campaign',
  'follow_up',
  'scheduled_message',
  'csat_survey',
  'table_row',
  'notification',
  'view',
  'segment',
] as const;
export type RecordEvent = (typeof RECORD_EVENTS)[number];

/** The longest cursor: it names the transactions that were running. */
export const MAX_CURSOR = 4_000;

export const LiveQuery = strict(
  {
    after: Type.Optional(
      Type.String({
        maxLength: MAX_CURSOR,
        description:
          'The id of the last event that the client received, from which it continues. The header Last-Event-ID does the same',
      }),
    ),
  },
  { required: [] },
);
export type LiveQuery = Static<typeof LiveQuery>;

const PRESENCE_STATES = ['VIEWING', 'TYPING', 'AWAY'] as const;
export type PresenceState = (typeof PRESENCE_STATES)[number];

export const PresenceChange = define(
  'PresenceChange',
  strict({
    state: oneOf(
      PRESENCE_STATES,
      'VIEWING lasts 60 seconds, and TYPING 15 seconds, after which it becomes VIEWING; repeat the call to ' +
        "extend them. Both end when the caller's last live stream closes",
    ),
  }),
);
export type PresenceChange = Static<typeof PresenceChange>;

export const Presence = define(
  'Presence',
  Type.Object({
    conversation: recordId('conversation'),
    by: plain.object('The user', {
      _id: plain.text('The id of the user or the API key'),
      name: plain.text("The user's name"),
    }),
    state: oneOf(PRESENCE_STATES, 'What the user is doing'),
  }),
);
export type Presence = Static<typeof Presence>;

export const PresenceParams = Type.Object({ id: recordId('conversation') });

const event = <D extends TSchema>(name: string, data: D) =>
  Type.Object({
    event: oneOf([name], 'The event'),
    id: Type.Optional(plain.text('The cursor from which the stream can be resumed')),
    data,
  });

const record = (name: string, schema: TSchema) => event(name, ref(schema, 'The record as its GET returns it'));

/** One event of the stream. On the wire `event`, `id` and `data` are lines of their own, as server-sent events are. */
const LiveEvent = define(
  'LiveEvent',
  Type.Union([
    event('ready', plain.object('From here on, no change is missed', {})),
    event(
      'reset',
      plain.object(
        'Too many of these records have changed, or the changes are too old to be listed: read the lists again',
        {
          events: Type.Array(oneOf(RECORD_EVENTS), { description: 'The events affected' }),
        },
      ),
    ),
    record('inbox', Inbox),
    record('contact', Contact),
    record('contact_note', ContactNote),
    record('conversation', Conversation),
    record('history_entry', HistoryEntry),
    record('message', Message),
    record('contact_import', Import),
    record('table_import', Import),
    record('conversation_run', ConversationRun),
    record('contact_run', ContactRun),
    record('bulk_run', BulkRun),
    record('campaign', Campaign),
    record('follow_up', FollowUp),
    record('scheduled_message', ScheduledMessage),
    record('csat_survey', CsatSurvey),
    record('table_row', Row),
    record('notification', Notification),
    record('view', VIEW_SCHEMAS.record),
    record('segment', SEGMENT_SCHEMAS.record),
    event('presence', ref(Presence, 'A user views a conversation or types in it')),
    event(
      'removed',
      plain.object('The record was removed; the messages of a removed conversation are not reported separately', {
        event: oneOf(
          ['contact', 'contact_note', 'conversation', 'message', 'campaign', 'table_row', 'view', 'segment'],
          'The event',
        ),
        _id: plain.text('The record that was removed'),
      }),
    ),
  ]),
);

export const LIVE_ANSWER = Type.Unsafe<Readable>({
  description: 'Server-sent events, until the client closes the connection',
  content: { 'text/event-stream': { schema: ref(LiveEvent) } },
});
