import { Type, type Static } from 'typebox';
import { define, plain, recordId, strict, Timestamp } from '../../../platform/values/schema.ts';

export const ConversationMerge = define(
  'ConversationMerge',
  strict({
    conversation: recordId(
      'conversation',
      'The conversation to merge into the other one and remove; of the same contact and inbox',
    ),
  }),
);
export type ConversationMerge = Static<typeof ConversationMerge>;

export const ConversationMergeParams = Type.Object({ id: recordId('conversation') });

/** The data of the event CONVERSATION_MERGED. */
export const ConversationMerged = define(
  'ConversationMerged',
  plain.object('A conversation was merged into another one', {
    conversationId: recordId('conversation', 'The conversation that has the messages of both'),
    mergedId: recordId('conversation', 'The conversation that was removed'),
    contactId: recordId('contact', 'The contact'),
    companyId: recordId('company', 'The company'),
    mergedAt: Type.String({ ...Timestamp, description: 'When they were merged: ISO 8601 UTC with milliseconds' }),
  }),
);
export type ConversationMerged = Static<typeof ConversationMerged>;
