import { Type, type Static } from 'typebox';
import { declareLimit } from '../../../platform/values/limits.ts';
import { define, nullable, plain, recordId } from '../../../platform/values/schema.ts';

/** The most conversations that a count of the closed ones counts, because a company keeps them for years. */
export const MOST_CLOSED = declareLimit(100_000, {
  topic: 'Messages',
  what: 'Closed conversations that are counted',
  beyond: 'the count stays at this number',
});

const countOfOpen = plain.integer('Its open conversations');

export const ConversationCounts = define(
  'ConversationCounts',
  Type.Object({
    open: plain.integer('Open conversations: any status except CLOSED (open=true)'),
    mine: nullable(
      plain.integer('Open conversations owned by the calling user (owner=<id>&open=true); null for an API key'),
    ),
    unread: nullable(
      plain.integer(
        'Open conversations with unread messages that are owned by the calling user or have no owner; null for an API key',
      ),
    ),
    unassigned: plain.integer('Open conversations without an owner (owner=none&open=true)'),
    queues: plain.object('The work queue: open conversations that are not snoozed (open=true&snoozed=false)', {
      mine: nullable(plain.integer('Conversations owned by the calling user; null for an API key')),
      unassigned: plain.integer(
        'Conversations without an owner, except those awaiting a reply to a campaign (awaits_reply=false)',
      ),
      all: plain.integer('All of them'),
      no_step: plain.integer(
        'Conversations without a pipeline step, except those awaiting a reply to a campaign (step=none&awaits_reply=false)',
      ),
      awaiting_reply: plain.integer('Conversations whose contact has not replied to a campaign (awaits_reply=true)'),
    }),
    status: plain.object('How many conversations have each status', {
      OPEN: plain.integer('Conversations with this status'),
      PENDING: plain.integer('Conversations with this status'),
      SNOOZED: plain.integer('Conversations with this status'),
      CLOSED: plain.integer(`Conversations with this status; ${MOST_CLOSED} means that many or more`),
    }),
    inboxes: Type.Array(
      Type.Object({
        inbox: recordId('inbox'),
        count: countOfOpen,
        snoozed: plain.integer('How many of them are snoozed'),
      }),
      {
        description: 'The inboxes with open conversations (inbox=<id>&open=true)',
      },
    ),
    teams: Type.Array(
      Type.Object({
        team: recordId('team'),
        count: countOfOpen,
        snoozed: plain.integer('How many of them are snoozed'),
      }),
      { description: 'The teams with open conversations (team=<id>&open=true)' },
    ),
    steps: Type.Array(Type.Object({ step: recordId('step'), count: countOfOpen }), {
      description: 'The pipeline steps with open conversations (step=<id>&open=true)',
    }),
  }),
);
export type ConversationCounts = Static<typeof ConversationCounts>;
