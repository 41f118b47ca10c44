import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { define, nullable, plain, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';

const { Optional } = Type;

export const SCORES = [1, 2, 3, 4, 5] as const;
export type Score = (typeof SCORES)[number];

export const MAX_COMMENT = declareLimit(2_000, {
  topic: 'Messages',
  what: 'Comment of a satisfaction survey',
  unit: 'characters',
  beyond: 'left out',
});

export const CsatSurvey = define(
  'CsatSurvey',
  plain.object('The question whether a contact was satisfied, sent when a conversation was closed, and the answer', {
    _id: recordId('csat-survey'),
    company: recordId('company'),
    conversation: recordId('conversation'),
    contact: recordId('contact'),
    inbox: recordId('inbox'),
    message: recordId('message', 'The message that asks'),
    user: nullable(recordId('user', 'The user who is rated: the owner at the close, else the user who closed it')),
    agent: nullable(recordId('agent', 'The AI agent that is rated, if it handled the conversation at the close')),
    team: nullable(recordId('team', 'The team at the close')),
    score: nullable(
      Type.Integer({ minimum: 1, maximum: 5 }),
      'From 1, very dissatisfied, to 5, very satisfied; null without an answer. On channels with three buttons 1, 3 or 5',
    ),
    comment: nullable(plain.text('What the contact added on the page of the survey')),
    rated_at: nullable({ ...Timestamp, description: 'When the contact answered' }),
    createdAt: Type.String({ ...Timestamp, description: 'When the conversation was closed' }),
    updatedAt: Timestamp,
  }),
);
export type CsatSurvey = Static<typeof CsatSurvey>;
export const CsatSurveyList = pageSchema(ref(CsatSurvey));
export const CsatSurveyParams = strict({ id: recordId('csat-survey') });

export const CsatSurveyQuery = pageQuery('-createdAt', {
  conversation: Optional(recordId('conversation', 'Only surveys of this conversation')),
  inbox: Optional(recordId('inbox', 'Only surveys of this inbox')),
  user: Optional(recordId('user', 'Only surveys that rate this user')),
  agent: Optional(recordId('agent', 'Only surveys that rate this AI agent')),
  rated: Optional(Type.Boolean({ description: 'true: only surveys with an answer; false: only those without one' })),
});
export type CsatSurveyQuery = Static<typeof CsatSurveyQuery>;
