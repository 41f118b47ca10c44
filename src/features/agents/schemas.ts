import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema, searchParameter } from '../../platform/store/paging.ts';
import { MAX_MCP_SERVERS } from './mcp/schemas.ts';
import { followUps, type FollowUpRule } from './follow-ups/schemas.ts';
import {
  define,
  explainedPattern,
  Name,
  NOT_BLANK,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  webAddress,
  plain,
} from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';

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
/** A company has at most this many agents. */
export const MAX_AGENTS = declareLimit(100, { topic: 'Agents', what: 'Agents per company', beyond: '400' });
const MAX_DESCRIPTION = declareLimit(2_000, {
  topic: 'Agents',
  what: 'Agent: description',
  unit: 'characters',
  beyond: '400',
});
const MAX_INSTRUCTIONS = declareLimit(20_000, {
  topic: 'Agents',
  what: 'Agent: instructions',
  unit: 'characters',
  beyond: '400',
});
const MAX_KEYWORDS = declareLimit(50, { topic: 'Agents', what: 'Agent: keywords for a person', beyond: '400' });
const MAX_ITEMS = declareLimit(200, { topic: 'Agents', what: 'Knowledge: items per agent', beyond: '400' });
const MAX_TABLES = declareLimit(20, { topic: 'Agents', what: 'Tables per agent', beyond: '400' });
const MOST_TURNS = declareLimit(1_000, { topic: 'Agents', what: 'Agent: `max_turns`', beyond: '400' });

const Handoff = define(
  'AgentHandoff',
  plain.strict('When the agent hands over to a person', {
    enabled: plain.flag(
      'Whether keywords and max_turns hand over. An agent that cannot answer, or whose contact seems to be a program, hands over in any case',
    ),
    keywords: Type.Array(Type.String({ minLength: 1, maxLength: 100, ...NOT_BLANK }), {
      maxItems: MAX_KEYWORDS,
      description: 'Words or phrases with which a contact asks for a person, ignoring case and accents',
    }),
    max_turns: Type.Integer({
      minimum: 1,
      maximum: MOST_TURNS,
      description: 'After this many answers in a conversation, a person takes over',
    }),
  }),
);
export type Handoff = Static<typeof Handoff>;
export const DEFAULT_HANDOFF: Handoff = { enabled: true, keywords: [], max_turns: 20 };

const SERVER =
  'The server that answers for an EXTERNAL agent. Each turn is posted to it as JSON: `agent` {_id, name, ' +
  'company}, `contact` {name, language}, `before` [{from (CONTACT, COMPANY), text, file}], `message` and ' +
  '`files`. A file has `message`, `attachment`, `file_type`, `mimeType`, `fileName`, `size`, `url`, which ' +
  'opens it until `expires_at`, and `text`, the text of a PDF if the inbox has pdf_local_text_extraction. ' +
  'The server answers `{"text": "…"}` or `{"handoff": true}` within 30 seconds';
const url = webAddress(SERVER);

const tools = Type.Array(oneOf(AGENT_TOOLS), {
  maxItems: AGENT_TOOLS.length,
  uniqueItems: true,
  description:
    'What the model can do besides answering and handing over. SEARCH_KNOWLEDGE: search the knowledge base ' +
    'further; SEND_FILE: send a MEDIA item; READ_FIELDS and WRITE_FIELDS: the custom fields of the contact ' +
    'and the conversation; READ_TABLES: rows of its tables that belong to no contact or to this one; ' +
    'MOVE_STEP: move the conversation in its pipeline; SCHEDULE_FOLLOW_UP: write to the contact later, if ' +
    'there is no reply',
});

const MOST_PRICE = 1_000_000;
const price = (description: string) => Type.Number({ minimum: 0, maximum: MOST_PRICE, description });

const Prices = define(
  'AgentPrices',
  plain.strict(
    'The prices of the model and of the transcription model, used to show the cost of each answer in the log of turns',
    {
      currency: Type.String({
        ...explainedPattern('^[A-Z]{3}$', 'must be a currency in three capital letters, such as USD'),
        description: 'ISO 4217: USD',
      }),
      input: price('The cost of a million tokens that the model reads'),
      output: price('The cost of a million tokens that the model writes'),
      transcription: Type.Optional(
        nullable(
          price('The cost of transcribing a minute of a voice note; null or absent: voice notes are not counted'),
        ),
      ),
    },
  ),
);
export type GivenPrices = Static<typeof Prices>;
/** The prices as they are stored. */
export type Prices = Required<GivenPrices>;
const pricesField = {
  ...nullable(ref(Prices)),
  description:
    'The prices of the models, used to show the cost of each answer in the log of turns; null if they are not known',
};

const MCP_SERVERS =
  'The MCP servers whose approved tools the model can call, if the company has client_mcp_servers_enabled';
const VISION =
  'Whether the model sees pictures: those that contacts send, and the pages of their PDFs unless the inbox ' +
  'has pdf_local_text_extraction. A model without vision gets the text of a PDF in any case';
const HANDOFF_MESSAGE =
  'The message to the contact when the agent hands the conversation over to a person; null for none. It ' +
  "is sent once, in the agent's name, and only while the reply window is open. An INACTIVE agent sends " +
  'nothing';
const TRANSCRIPTION =
  'The model at the same endpoint that transcribes voice notes; null: voice notes are not transcribed';

const listedProperties = {
  _id: recordId('agent'),
  company: recordId('company'),
  name: plain.name,
  description: nullable(plain.text('What the field is for, shown to people')),
  type: oneOf(
    AGENT_TYPES,
    'AI: answers from the knowledge base, written by a model if one is configured; EXTERNAL: a server answers',
  ),
  status: oneOf(AGENT_STATUSES, 'INACTIVE: the agent does not answer'),
  model: nullable(plain.text("The model that answers; null for the installation's model")),
  knowledge_scope: oneOf(
    KNOWLEDGE_SCOPES,
    'Where the agent looks for answers: in ALL knowledge items of the company, or in those that are LISTED, even if none is left',
  ),
  knowledge: Type.Array(recordId('knowledge-item'), { description: 'The listed knowledge items' }),
  tools,
  tables: Type.Array(recordId('table'), { description: 'The tables that READ_TABLES reads' }),
  mcp_servers: Type.Array(recordId('mcp-server'), { description: MCP_SERVERS }),
  vision: plain.flag(VISION),
  transcription_model: nullable(plain.text(TRANSCRIPTION)),
  prices: Type.Unsafe<Prices | null>(pricesField),
  follow_ups: Type.Unsafe<FollowUpRule[]>(followUps),
  handoff: ref(Handoff, 'When the agent hands over to a person'),
  handoff_message: nullable(plain.text(HANDOFF_MESSAGE)),
  url: nullable(plain.text('The server that answers for an EXTERNAL agent')),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const ListedAgent = define('ListedAgent', Type.Object(listedProperties));
export type ListedAgent = Static<typeof ListedAgent>;

export const Agent = define(
  'Agent',
  Type.Object({
    ...listedProperties,
    instructions: nullable(plain.text("The model's task and tone")),
  }),
);
export type Agent = Static<typeof Agent>;

const writableProperties = {
  description: Type.Optional(
    nullable(Type.String({ maxLength: MAX_DESCRIPTION, description: 'What the field is for, shown to people' })),
  ),
  status: Type.Optional(oneOf(AGENT_STATUSES, 'ACTIVE by default')),
  model: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        ...NOT_BLANK,
        description: "The model that answers; null for the installation's model",
      }),
    ),
  ),
  instructions: Type.Optional(
    nullable(Type.String({ maxLength: MAX_INSTRUCTIONS, description: "The model's task and tone" })),
  ),
  knowledge_scope: Type.Optional(
    oneOf(KNOWLEDGE_SCOPES, 'LISTED if items are given, else ALL for a new agent. ALL does not accept items'),
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
  mcp_servers: Type.Optional(
    Type.Array(recordId('mcp-server'), {
      maxItems: MAX_MCP_SERVERS,
      uniqueItems: true,
      description: `${MCP_SERVERS}. Replaces all servers`,
    }),
  ),
  vision: Type.Optional(plain.flag(VISION)),
  transcription_model: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK, description: TRANSCRIPTION })),
  ),
  prices: Type.Optional(Type.Unsafe<GivenPrices | null>(pricesField)),
  follow_ups: Type.Optional(followUps),
  handoff: Type.Optional(ref(Handoff, 'When the agent hands over to a person')),
  handoff_message: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 4_096, ...NOT_BLANK, description: HANDOFF_MESSAGE })),
  ),
  url: Type.Optional(nullable(url)),
};

export const AgentCreate = define(
  'AgentCreate',
  strict({
    name: Name,
    type: oneOf(AGENT_TYPES, 'EXTERNAL requires a url'),
    ...writableProperties,
  }),
);
export type AgentCreate = Static<typeof AgentCreate>;

export const AgentUpdate = define('AgentUpdate', strict({ name: Type.Optional(Name), ...writableProperties }));
export type AgentUpdate = Static<typeof AgentUpdate>;

export const AgentParams = Type.Object({ id: recordId('agent') });
export const AgentList = pageSchema(ref(ListedAgent));
export const AgentQuery = pageQuery('-createdAt', {
  type: Type.Optional(oneOf(AGENT_TYPES, 'Only records of this type')),
  status: Type.Optional(oneOf(AGENT_STATUSES, 'Only records with this status')),
  search: searchParameter('Part of the name or the description'),
});
export type AgentQuery = Static<typeof AgentQuery>;
