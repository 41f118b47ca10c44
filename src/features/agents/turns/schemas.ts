/** What agents did: their turns, and how one is tried. */
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
import { declareLimit } from '../../../platform/values/limits.ts';

const TURN_OUTCOMES = ['ANSWERED', 'HANDED_OVER'] as const;
const HANDOFF_REASONS = [
  'KEYWORD',
  'MAX_TURNS',
  'AUTOMATED_CONTACT',
  'NO_ANSWER',
  'ONLY_REASONING',
  'ANSWER_CUT',
  'ASKED_BY_AGENT',
  'BUDGET_SPENT',
  'AGENT_INACTIVE',
  'ANSWER_FAILED',
  'SEND_FAILED',
  'OUTCOME_UNKNOWN',
] as const;
const REASONS =
  'AUTOMATED_CONTACT: the contact seems to be a program that replies automatically; ONLY_REASONING: the model wrote its reasoning but no answer; ANSWER_CUT: the answer was cut off before its first sentence was complete';
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];
export type HandoffReason = (typeof HANDOFF_REASONS)[number];

const passageProperties = {
  item: recordId('knowledge-item'),
  name: plain.text('The name of the item'),
  position: plain.integer('Its position among the passages of the item, from 0'),
  coverage: Type.Number({ description: 'How much of the question the passage covers, from 0 to 1' }),
};
/** A passage as the log keeps it: without its text, which may change. */
const LoggedPassage = Type.Object(passageProperties);
const ReadPassage = Type.Object({ ...passageProperties, content: plain.text('Its text') });
export type ReadPassage = Static<typeof ReadPassage>;

const AgentAction = Type.Object({
  tool: plain.text('The function that the model called'),
  arguments: plain.text('The arguments: the first 500 characters of the JSON'),
  is_done: plain.flag('False if the platform rejected the call'),
  note: nullable(plain.text('Why it was rejected')),
});
export type AgentAction = Static<typeof AgentAction>;

const FILE_READINGS = ['TEXT', 'PICTURES', 'TRANSCRIPT', 'LINK', 'NOTHING'] as const;
/** An agent reads so many files: the newest ones. */
export const MOST_FILES = declareLimit(4, {
  topic: 'Agents',
  what: 'Files: number per answer',
  beyond: 'only the newest ones',
});

const ReadFile = Type.Object({
  message: nullable(recordId('message', "The contact's message with the file; null in a try")),
  name: plain.text('The name of the file'),
  read_as: oneOf(
    FILE_READINGS,
    'The form in which the model got the file. TEXT: its text; PICTURES: the picture, or its pages; TRANSCRIPT: its ' +
      'transcript; LINK: a link to it, for the server of an EXTERNAL agent; NOTHING: only that it was sent',
  ),
  characters: plain.integer('How many characters of text the model got'),
  pictures: plain.integer('How many pictures the model got'),
  note: nullable(plain.text('Why the file was not read, or which parts were left out')),
});
export type ReadFile = Static<typeof ReadFile>;

const Cost = define(
  'AgentCost',
  Type.Object({
    amount: Type.Number({ description: 'In units of the currency' }),
    currency: plain.text('ISO 4217: USD'),
  }),
);
export type TurnCost = Static<typeof Cost>;

const READ = 'What the agent has read, best first';

const workProperties = {
  files: Type.Array(ReadFile, { description: "The contact's files in the conversation, newest first" }),
  actions: Type.Array(AgentAction, {
    description: "The model's function calls. Their changes were applied only if the agent answered",
  }),
  model: nullable(plain.text('The model that answered; null if none was called')),
  input_tokens: nullable(plain.integer('How many tokens the model read; null if it did not report them')),
  output_tokens: nullable(plain.integer('How many tokens the model wrote; null if it did not report them')),
  cost: Type.Unsafe<TurnCost | null>({
    ...nullable(ref(Cost)),
    description:
      'The cost of the tokens, and of the voice notes transcribed for it, at the prices that the agent had ' +
      'then; null without prices, or if the model did not report its usage',
  }),
  latency_ms: plain.integer('How long the agent took to answer'),
};

export const AgentTry = define(
  'AgentTry',
  strict({
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        ...NOT_BLANK,
        description: "The contact's message. It can be left out only with `attachments`",
      }),
    ),
    attachments: Type.Optional(
      Type.Array(recordId('attachment'), {
        maxItems: MOST_FILES,
        uniqueItems: true,
        description:
          'Files that the contact sends with it: uploaded files, which the agent reads as in a conversation whose inbox does not have `pdf_local_text_extraction`',
      }),
    ),
  }),
);
export type AgentTry = Static<typeof AgentTry>;

export const AgentTrial = define(
  'AgentTrial',
  Type.Object({
    outcome: oneOf(TURN_OUTCOMES, 'ANSWERED: the agent has an answer; HANDED_OVER: a person takes over'),
    reason: nullable(oneOf(HANDOFF_REASONS, `Why a person would take over. ${REASONS}`)),
    answer: nullable(plain.text('What would be sent; null if a person would take over')),
    handoff_message: nullable(
      plain.text('The message that the contact would get when a person takes over; null for none'),
    ),
    passages: Type.Array(ReadPassage, { description: READ }),
    ...workProperties,
  }),
);
export type AgentTrial = Static<typeof AgentTrial>;

/** How an answer was found. */
export type AnswerWork = Pick<
  AgentTrial,
  'actions' | 'passages' | 'files' | 'cost' | 'model' | 'input_tokens' | 'output_tokens' | 'latency_ms'
>;

export const AgentTurn = define(
  'AgentTurn',
  Type.Object({
    _id: recordId('agent-turn'),
    company: recordId('company'),
    agent: recordId('agent'),
    conversation: recordId('conversation'),
    asked: recordId('message', 'The newest message that the agent has read'),
    outcome: oneOf(TURN_OUTCOMES, 'ANSWERED: the agent has an answer; HANDED_OVER: a person takes over'),
    reason: nullable(oneOf(HANDOFF_REASONS, `Why a person took over. ${REASONS}`)),
    message: nullable(
      recordId(
        'message',
        'The answer, or the message to the contact when a person took over; null if nothing was sent',
      ),
    ),
    file_message: nullable(recordId('message', 'The file that was sent with it; null without one')),
    passages: Type.Array(LoggedPassage, { description: READ }),
    ...workProperties,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type AgentTurn = Static<typeof AgentTurn>;

export const AgentTurnList = pageSchema(ref(AgentTurn));
export const AgentTurnQuery = pageQuery('-createdAt', {
  agent: Type.Optional(recordId('agent', 'Only records of this agent')),
  conversation: Type.Optional(recordId('conversation', 'Only records of this conversation')),
  outcome: Type.Optional(oneOf(TURN_OUTCOMES, 'Only turns with this outcome')),
});
export type AgentTurnQuery = Static<typeof AgentTurnQuery>;
