import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../../platform/store/paging.ts';
import {
  define,
  NOT_BLANK,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  plain,
} from '../../../platform/values/schema.ts';
import { GivenTemplate } from '../../templates/schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MAX_FOLLOW_UPS = declareLimit(5, { topic: 'Agents', what: 'Follow-ups per agent', beyond: '400' });
const MAX_DELAY_MINUTES = declareLimit(30 * 24 * 60, {
  topic: 'Agents',
  what: 'Follow-ups: delay after the one before',
  unit: 'minutes',
  beyond: '400',
});

const FollowUpRule = define(
  'FollowUpRule',
  strict({
    delay_minutes: Type.Integer({
      minimum: 1,
      maximum: MAX_DELAY_MINUTES,
      description:
        'How many minutes the agent waits for an answer, counted from its last message. What would be due at night is sent in the morning',
    }),
    content: Type.String({ minLength: 1, maxLength: 4_096, ...NOT_BLANK, description: 'What is sent' }),
    template: Type.Optional(
      Type.Unsafe<GivenTemplate | null>({
        ...nullable(ref(GivenTemplate)),
        description: 'What is sent where the reply window has closed',
      }),
    ),
  }),
);
/** A follow-up as it is stored. */
export type FollowUpRule = Omit<Static<typeof FollowUpRule>, 'template'> & { template: GivenTemplate | null };

export const followUps = Type.Array(ref(FollowUpRule), {
  maxItems: MAX_FOLLOW_UPS,
  description: 'What the agent sends, one after the other, to a contact who does not answer',
});

const FOLLOW_UP_STATUSES = ['SCHEDULED', 'SENT', 'CANCELLED', 'FAILED'] as const;
const CANCEL_REASONS = [
  'REPLIED',
  'HANDED_OVER',
  'AGENT_INACTIVE',
  'CONVERSATION_CLOSED',
  'WINDOW_EXPIRED',
  'CANCELLED_BY_REQUEST',
] as const;

export const FollowUp = define(
  'FollowUp',
  plain.object('A follow-up of an agent', {
    _id: recordId('follow-up'),
    company: recordId('company'),
    conversation: recordId('conversation'),
    contact: recordId('contact', 'Its contact'),
    inbox: recordId('inbox', 'Its inbox'),
    agent: recordId('agent', 'The agent whose follow-up it is'),
    message: nullable(recordId('message', 'The message that was sent; null before')),
    content: plain.text('The text'),
    index: plain.integer(
      "Which of the agent's follow-ups, from 0. One that the model has chosen comes after all of them",
    ),
    status: oneOf(
      FOLLOW_UP_STATUSES,
      'SCHEDULED: it waits for its time, or the outcome of its message is not known yet; SENT; CANCELLED; FAILED as a message does',
    ),
    scheduled_at: Type.String({ ...Timestamp, description: 'When it is due' }),
    sent_at: nullable(Type.String({ ...Timestamp, description: 'When it was sent; null before' })),
    cancel_reason: nullable(
      oneOf(
        CANCEL_REASONS,
        'Why it was cancelled; null unless it was. AGENT_INACTIVE: it was switched off, or its company is suspended',
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type FollowUp = Static<typeof FollowUp>;

export const FollowUpList = pageSchema(ref(FollowUp));
export const FollowUpParams = Type.Object({ id: recordId('follow-up') });
export const FollowUpQuery = pageQuery('-createdAt', {
  agent: Type.Optional(recordId('agent', 'Those of this agent')),
  conversation: Type.Optional(recordId('conversation', 'Those in this conversation')),
  status: Type.Optional(oneOf(FOLLOW_UP_STATUSES, 'Those in this state')),
});
export type FollowUpQuery = Static<typeof FollowUpQuery>;
