import type { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import { define, oneOf, recordId, ref, strict } from '../../platform/values/schema.ts';
import { FollowUp } from '../agents/follow-ups/schemas.ts';
import { BulkRun } from '../bulk/schemas.ts';
import { Campaign } from '../campaigns/schemas.ts';
import { Contact } from '../contacts/schemas.ts';
import { ConversationRun } from '../conversations/bulk/schemas.ts';
import { Conversation, HistoryEntry } from '../conversations/schemas.ts';
import { Import } from '../imports/schemas.ts';
import { Inbox } from '../inboxes/schemas.ts';
import { Message } from '../messages/schemas.ts';
import { Row } from '../tables/schemas.ts';

const RECORD_EVENTS = [
  'inbox',
  'contact',
  'conversation',
  'history_entry',
  'message',
  'contact_import',
  'table_import',
  'conversation_run',
  'bulk_run',
  'campaign',
  'follow_up',
  'table_row',
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
          'The id of the last event that the client received, from which it goes on. The header Last-Event-ID does the same',
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
    state: oneOf(PRESENCE_STATES, {
      description:
        'VIEWING holds as long as the caller has a live stream, and without one for 75 seconds; TYPING for 15 seconds, and is VIEWING after them',
    }),
  }),
);
export type PresenceChange = Static<typeof PresenceChange>;

export const Presence = define(
  'Presence',
  Type.Object({
    conversation: recordId('conversation'),
    by: Type.Object({ _id: Type.String({ description: 'The id of the user or the API key' }), name: Type.String() }),
    state: oneOf(PRESENCE_STATES),
  }),
);
export type Presence = Static<typeof Presence>;

export const PresenceParams = Type.Object({ id: recordId('conversation') });

const event = <D extends Parameters<typeof Type.Object>[0][string]>(name: string, data: D) =>
  Type.Object({
    event: oneOf([name]),
    id: Type.Optional(Type.String({ description: 'The cursor from which the stream goes on' })),
    data,
  });

/** One event of the stream. On the wire `event`, `id` and `data` are lines of their own, as server-sent events are. */
const LiveEvent = define(
  'LiveEvent',
  Type.Union([
    event('ready', Type.Object({}, { description: 'From here on nothing is missed' })),
    event(
      'reset',
      Type.Object(
        { events: Type.Array(oneOf(RECORD_EVENTS)) },
        { description: 'Changes of these records were too many or too long ago to be listed: read their lists anew' },
      ),
    ),
    event('inbox', ref(Inbox)),
    event('contact', ref(Contact)),
    event('conversation', ref(Conversation)),
    event('history_entry', ref(HistoryEntry)),
    event('message', ref(Message)),
    event('contact_import', ref(Import)),
    event('table_import', ref(Import)),
    event('conversation_run', ref(ConversationRun)),
    event('bulk_run', ref(BulkRun)),
    event('campaign', ref(Campaign)),
    event('follow_up', ref(FollowUp)),
    event('table_row', ref(Row)),
    event('presence', ref(Presence)),
    event(
      'removed',
      Type.Object(
        { event: oneOf(['contact', 'conversation', 'campaign', 'table_row']), _id: Type.String() },
        { description: 'The record was removed; the messages of a conversation go with it' },
      ),
    ),
  ]),
);

export const LIVE_ANSWER = Type.Unsafe<Readable>({
  description: 'Server-sent events, until the client closes the connection',
  content: { 'text/event-stream': { schema: ref(LiveEvent) } },
});
