/** The schemas of what an inbox does with its conversations. */
import { Type } from 'typebox';
import { declareLimit } from '../../../platform/values/limits.ts';
import { NOT_BLANK, nullable } from '../../../platform/values/schema.ts';

const MOST_REOPEN_DAYS = declareLimit(365, {
  topic: 'Networks',
  what: 'Days in which the last conversation is reopened (`reopen_days`)',
  beyond: '400',
});

export const reopenDays = Type.Integer({
  minimum: 0,
  maximum: MOST_REOPEN_DAYS,
  description:
    "For how many days after it was closed a contact's last conversation is reopened, with its owner, agent and " +
    'tags, when the contact writes or a message to the contact opens a conversation; 0, the default: a new conversation opens',
});

export const csatQuestion = nullable(
  Type.String({
    minLength: 1,
    maxLength: 500,
    ...NOT_BLANK,
    description: 'The question sent when a conversation is closed, answered with a rating from 1 to 5; null: no survey',
  }),
);

export const awayText = nullable(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    ...NOT_BLANK,
    description:
      'What a contact who writes outside of `business_hours` is sent, once in each conversation until they begin again; null for nothing',
  }),
);
