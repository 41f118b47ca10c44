import { Type, type Static } from 'typebox';
import { define, nullable, plain, recordId, strict, Timestamp } from '../../../platform/values/schema.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** The function follow_conversation of the database has this number as well. */
export const MAX_FOLLOWERS = declareLimit(50, {
  topic: 'Messages',
  what: 'Followers per conversation',
  beyond: '400; users who reply or are mentioned do not follow',
});

export const Participants = define(
  'Participants',
  Type.Object({
    conversation: recordId('conversation'),
    participants: Type.Array(
      Type.Object({
        user: recordId('user'),
        name: plain.text("The user's name"),
        avatar_url: nullable(plain.text("The address of the user's picture")),
        createdAt: Timestamp,
      }),
      { description: 'The users who follow the conversation, in the order of their names' },
    ),
  }),
);
export type Participants = Static<typeof Participants>;

export const ParticipantAdd = define('ParticipantAdd', strict({ user: recordId('user', 'The user who is to follow') }));
export type ParticipantAdd = Static<typeof ParticipantAdd>;

export const ParticipantParams = Type.Object({ id: recordId('conversation'), userId: recordId('user') });
