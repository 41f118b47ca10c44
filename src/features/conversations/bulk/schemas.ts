import { Type, type Static } from 'typebox';
import { define, nullable, plain, recordId, ref, strict } from '../../../platform/values/schema.ts';
import { changeRun, runRequest } from '../../../platform/work/runs/schemas.ts';
import { ConversationFilters, SHARED_CHANGES, tagList } from '../schemas.ts';

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
  runRequest('conversation', ConversationFilters, {
    change: ref(ConversationChange, 'The change to each conversation'),
  }),
);
export type ConversationRunCreate = Static<typeof ConversationRunCreate>;

export const ConversationRun = define(
  'ConversationRun',
  changeRun('conversation', {
    change: nullable(ref(ConversationChange), 'The change to each conversation; null for a macro'),
    macro: nullable(
      plain.object('The macro that is run in each conversation; null for a change', {
        _id: recordId('macro'),
        name: plain.name,
      }),
    ),
  }),
);
export type ConversationRun = Static<typeof ConversationRun>;
