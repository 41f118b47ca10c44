import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema, searchParameter } from '../../platform/paging.ts';
import { followUps, type FollowUpRule } from './follow-ups/schemas.ts';
import {
  define,
  Name,
  NOT_BLANK,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  WEB_ADDRESS,
} from '../../platform/schema.ts';

const AGENT_TYPES = ['AI', 'EXTERNAL'] as const;
const AGENT_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
const KNOWLEDGE_SCOPES = ['ALL', 'LISTED'] as const;
export const AGENT_TOOLS = [
  'SEARCH_KNOWLEDGE',
  'SEND_FILE',
  'READ_FIELDS',
  'WRITE_FIELDS',
  'READ_TABLES',
  'MOVE_STEP',
  'SCHEDULE_FOLLOW_UP',
] as const;
export type AgentTool = (typeof AGENT_TOOLS)[number];
export const DEFAULT_TOOLS: AgentTool[] = ['SEARCH_KNOWLEDGE'];
const TURN_OUTCOMES = ['ANSWERED', 'HANDED_OVER'] as const;
const HANDOFF_REASONS = [
  'KEYWORD',
  'MAX_TURNS',
  'NO_ANSWER',
  'ASKED_BY_AGENT',
  'BUDGET_SPENT',
  'AGENT_INACTIVE',
  'ANSWER_FAILED',
  'SEND_FAILED',
  'OUTCOME_UNKNOWN',
] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];
export type HandoffReason = (typeof HANDOFF_REASONS)[number];

/** A company has at most this many agents. */
export const MAX_AGENTS = 100;
const MAX_DESCRIPTION = 2_000;
const MAX_INSTRUCTIONS = 20_000;
const MAX_KEYWORDS = 50;
const MAX_ITEMS = 200;
const MAX_TABLES = 20;
const MOST_TURNS = 1_000;

const Handoff = define(
  'AgentHandoff',
  strict(
    {
      enabled: Type.Boolean({
        description: 'Whether keywords and max_turns hand over. An agent that can not answer hands over in any case',
      }),
      keywords: Type.Array(Type.String({ minLength: 1, maxLength: 100, ...NOT_BLANK }), {
        maxItems: MAX_KEYWORDS,
        description: 'Words or phrases with which a contact asks for a person, in any case and with or without accents',
      }),
      max_turns: Type.Integer({
        minimum: 1,
        maximum: MOST_TURNS,
        description: 'After this many answers in a conversation a person takes over',
      }),
    },
    { description: 'When the agent hands over to a person' },
  ),
);
export type Handoff = Static<typeof Handoff>;
export const DEFAULT_HANDOFF: Handoff = { enabled: true, keywords: [], max_turns: 20 };

const url = Type.String({ maxLength: 2_048, ...WEB_ADDRESS });

const tools = Type.Array(oneOf(AGENT_TOOLS), {
  maxItems: AGENT_TOOLS.length,
  uniqueItems: true,
  description:
    `What the model may do beside answering and handing over. SEARCH_KNOWLEDGE: look further in the knowledge base; SEND_FILE: send
    a MEDIA item; READ_FIELDS and WRITE_FIELDS: the custom fields of the contact and the conversation; READ_TABLES: rows of its tables
    that belong to no contact or to this one; MOVE_STEP: move the conversation in its pipeline;
    SCHEDULE_FOLLOW_UP: write to the contact later, if there is no answer`.replaceAll(/\s+/g, ' '),
});

const listedProperties = {
  _id: recordId('agent'),
  company: recordId('company'),
  name: Type.String(),
  description: nullable(Type.String()),
  type: oneOf(AGENT_TYPES, {
    description:
      'AI: answers from the knowledge base, in the words of a model where one is set up; EXTERNAL: a server answers',
  }),
  status: oneOf(AGENT_STATUSES, { description: 'INACTIVE: the agent answers nobody' }),
  model: nullable(Type.String({ description: 'The model that answers; null for the one of the installation' })),
  knowledge_scope: oneOf(KNOWLEDGE_SCOPES, {
    description:
      'Where the agent looks for answers: in ALL knowledge items of the company, or in those that are LISTED, even when none is left',
  }),
  knowledge: Type.Array(recordId('knowledge-item'), { description: 'The knowledge items that are listed' }),
  tools,
  tables: Type.Array(recordId('table'), { description: 'The tables that READ_TABLES reads' }),
  follow_ups: Type.Unsafe<FollowUpRule[]>(followUps),
  handoff: ref(Handoff),
  url: nullable(Type.String({ description: 'The server that answers for an EXTERNAL agent' })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const ListedAgent = define('ListedAgent', Type.Object(listedProperties));
export type ListedAgent = Static<typeof ListedAgent>;

export const Agent = define(
  'Agent',
  Type.Object({
    ...listedProperties,
    instructions: nullable(Type.String({ description: 'What the model is told about its task and its tone' })),
  }),
);
export type Agent = Static<typeof Agent>;

const writableProperties = {
  description: Type.Optional(nullable(Type.String({ maxLength: MAX_DESCRIPTION }))),
  status: Type.Optional(oneOf(AGENT_STATUSES, { description: 'ACTIVE by default' })),
  model: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        ...NOT_BLANK,
        description: 'The model that answers; null for the one of the installation',
      }),
    ),
  ),
  instructions: Type.Optional(
    nullable(
      Type.String({ maxLength: MAX_INSTRUCTIONS, description: 'What the model is told about its task and its tone' }),
    ),
  ),
  knowledge_scope: Type.Optional(
    oneOf(KNOWLEDGE_SCOPES, {
      description: 'LISTED when items are given, else ALL for a new agent. ALL takes no items',
    }),
  ),
  knowledge: Type.Optional(
    Type.Array(recordId('knowledge-item'), {
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description: 'Replaces all items',
    }),
  ),
  tools: Type.Optional(tools),
  tables: Type.Optional(
    Type.Array(recordId('table'), {
      maxItems: MAX_TABLES,
      uniqueItems: true,
      description: 'The tables that READ_TABLES reads. Replaces all tables',
    }),
  ),
  follow_ups: Type.Optional(followUps),
  handoff: Type.Optional(ref(Handoff)),
  url: Type.Optional(nullable(url)),
};

export const AgentCreate = define(
  'AgentCreate',
  strict({
    name: Name,
    type: oneOf(AGENT_TYPES, { description: 'EXTERNAL takes a url' }),
    ...writableProperties,
  }),
);
export type AgentCreate = Static<typeof AgentCreate>;

export const AgentUpdate = define('AgentUpdate', strict({ name: Type.Optional(Name), ...writableProperties }));
export type AgentUpdate = Static<typeof AgentUpdate>;

export const AgentParams = Type.Object({ id: recordId('agent') });
export const AgentList = pageSchema(ref(ListedAgent));
export const AgentQuery = pageQuery('-createdAt', {
  type: Type.Optional(oneOf(AGENT_TYPES, { description: 'Those of this type' })),
  status: Type.Optional(oneOf(AGENT_STATUSES, { description: 'Those in this state' })),
  search: searchParameter('A part of the name or the description'),
});
export type AgentQuery = Static<typeof AgentQuery>;

const passageProperties = {
  item: recordId('knowledge-item'),
  name: Type.String({ description: 'The name of the item' }),
  position: Type.Integer({ description: 'Its place among the passages of the item, from 0' }),
  coverage: Type.Number({ description: 'How much of the question the passage has, from 0 to 1' }),
};
/** A passage as the log keeps it: without its text, which may change. */
const LoggedPassage = Type.Object(passageProperties);
const ReadPassage = Type.Object({ ...passageProperties, content: Type.String({ description: 'Its text' }) });
export type ReadPassage = Static<typeof ReadPassage>;

const AgentAction = Type.Object({
  tool: Type.String({ description: 'The function that the model called' }),
  arguments: Type.String({ description: 'What it gave to the function: the first 500 characters of the JSON' }),
  is_done: Type.Boolean({ description: 'False when the platform has refused the call' }),
  note: nullable(Type.String({ description: 'Why it was refused' })),
});
export type AgentAction = Static<typeof AgentAction>;

const READ = 'What the agent has read, the best first';

const workProperties = {
  actions: Type.Array(AgentAction, {
    description: 'What the model has called. What changes something has happened only when the agent has answered',
  }),
  model: nullable(Type.String({ description: 'The model that answered; null when none was called' })),
  input_tokens: nullable(Type.Integer({ description: 'How many tokens the model has read; null when it did not say' })),
  output_tokens: nullable(
    Type.Integer({ description: 'How many tokens the model has written; null when it did not say' }),
  ),
  latency_ms: Type.Integer({ description: 'How long the agent took to find its answer' }),
};

export const AgentTry = define(
  'AgentTry',
  strict({
    message: Type.String({ minLength: 1, maxLength: 4_096, ...NOT_BLANK, description: 'What a contact writes' }),
  }),
);
export type AgentTry = Static<typeof AgentTry>;

export const AgentTrial = define(
  'AgentTrial',
  Type.Object({
    outcome: oneOf(TURN_OUTCOMES, {
      description: 'ANSWERED: the agent has an answer; HANDED_OVER: a person takes over',
    }),
    reason: nullable(oneOf(HANDOFF_REASONS, { description: 'Why a person would take over' })),
    answer: nullable(Type.String({ description: 'What would be sent; null when a person would take over' })),
    passages: Type.Array(ReadPassage, { description: READ }),
    ...workProperties,
  }),
);
export type AgentTrial = Static<typeof AgentTrial>;

/** How an answer was found. */
export type AnswerWork = Pick<
  AgentTrial,
  'actions' | 'passages' | 'model' | 'input_tokens' | 'output_tokens' | 'latency_ms'
>;

export const AgentTurn = define(
  'AgentTurn',
  Type.Object({
    _id: recordId('agent-turn'),
    company: recordId('company'),
    agent: recordId('agent'),
    conversation: recordId('conversation'),
    asked: recordId('message', { description: 'The newest message that the agent has read' }),
    outcome: oneOf(TURN_OUTCOMES, {
      description: 'ANSWERED: the agent has an answer; HANDED_OVER: a person takes over',
    }),
    reason: nullable(oneOf(HANDOFF_REASONS, { description: 'Why a person took over' })),
    message: nullable(recordId('message', { description: 'The answer; null when none was sent' })),
    file_message: nullable(recordId('message', { description: 'The file that was sent with it; null without one' })),
    passages: Type.Array(LoggedPassage, { description: READ }),
    ...workProperties,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type AgentTurn = Static<typeof AgentTurn>;

export const AgentTurnList = pageSchema(ref(AgentTurn));
export const AgentTurnQuery = pageQuery('-createdAt', {
  agent: Type.Optional(recordId('agent', { description: 'Those of this agent' })),
  conversation: Type.Optional(recordId('conversation', { description: 'Those in this conversation' })),
  outcome: Type.Optional(oneOf(TURN_OUTCOMES, { description: 'Those that ended in this way' })),
});
export type AgentTurnQuery = Static<typeof AgentTurnQuery>;
