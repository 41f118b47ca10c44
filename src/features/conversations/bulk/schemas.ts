import { Type, type Static } from 'typebox';
import { ACTOR_TYPES } from '../../../platform/http/audit.ts';
import { define, nullable, oneOf, recordId, ref, strict, Timestamp, plain } from '../../../platform/values/schema.ts';
import { ConversationFilters, SHARED_CHANGES, tagList } from '../schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** The most conversations that a request can list by their ids, and that a filter can select. */
const MAX_IDS = declareLimit(1_000, {
  topic: 'Messages',
  what: 'Bulk change: conversations listed by id',
  beyond: '400',
});
export const MAX_SELECTED = declareLimit(10_000, {
  topic: 'Messages',
  what: 'Bulk change: conversations selected by filter',
  beyond: '400',
});
/** The most failures that a run shows. */
export const MAX_FAILURES = declareLimit(100, {
  topic: 'Messages',
  what: 'Bulk change: failures shown',
  beyond: 'the others are left out',
});

export const MARK_UNREAD = plain.flag(
  'true: marks each conversation as unread, false: as read, like PUT /v1/conversations/{id}/unread and …/read',
);

const ConversationChange = define(
  'ConversationChange',
  Type.Partial(
    strict({
      ...SHARED_CHANGES,
      add_tags: tagList('Tags to add to each conversation'),
      remove_tags: tagList('Tags to remove from each conversation'),
      unread: MARK_UNREAD,
    }),
    { additionalProperties: false, minProperties: 1 },
  ),
);
export type ConversationChange = Static<typeof ConversationChange>;

export const ConversationRunCreate = define(
  'ConversationRunCreate',
  strict({
    ids: Type.Optional(
      Type.Array(recordId('conversation'), {
        minItems: 1,
        maxItems: MAX_IDS,
        uniqueItems: true,
        description: 'The conversations to change. Either ids or filter is required',
      }),
    ),
    filter: Type.Optional(
      ref(
        ConversationFilters,
        'Selects the conversations that GET /v1/conversations lists with these filters when the run begins, at most 10,000; {} selects all. Either ids or filter is required',
      ),
    ),
    change: ref(ConversationChange, 'The change to each conversation'),
  }),
);
export type ConversationRunCreate = Static<typeof ConversationRunCreate>;

export const RUN_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;

const ConversationFailure = Type.Object({
  conversation: recordId('conversation'),
  code: plain.text('The code that a PATCH of this conversation would return'),
  message: plain.text('What happened, in a sentence for people'),
});
export type ConversationFailure = Static<typeof ConversationFailure>;

export const ConversationRun = define(
  'ConversationRun',
  Type.Object({
    _id: recordId('conversation-run'),
    company: recordId('company'),
    change: ref(ConversationChange, 'The change to each conversation'),
    status: oneOf(
      RUN_STATUSES,
      'The state of the run. FAILED: it ended before its last conversation, and `error` says why',
    ),
    total: plain.integer('The selected conversations'),
    processed: plain.integer('Processed conversations: changed, failed, and those that needed no change'),
    changed_count: plain.integer('Conversations that were changed'),
    failed_count: plain.integer('Conversations that could not be changed'),
    failures: Type.Array(ConversationFailure, { description: `The first ${MAX_FAILURES} that could not be changed` }),
    error: nullable(
      plain.object('What went wrong; null if nothing did', {
        code: plain.text('The name of the error, for programs'),
        message: plain.text('What happened, in a sentence for people'),
      }),
    ),
    created_by: plain.object('The user or API key that started the run', {
      type: oneOf(ACTOR_TYPES, 'The kind of actor: a user, a key, or the platform'),
      _id: nullable(plain.text('The id of the user or the API key')),
      name: plain.name,
    }),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type ConversationRun = Static<typeof ConversationRun>;
