/** Servers whose tools agents may call over MCP. */
import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema, searchParameter } from '../../../platform/store/paging.ts';
import {
  define,
  explainedPattern,
  Name,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  webAddress,
  plain,
} from '../../../platform/values/schema.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** A company has at most this many servers. */
export const MAX_MCP_SERVERS = declareLimit(3, { topic: 'Agents', what: 'MCP servers per company', beyond: '400' });
const MAX_TOOLS = declareLimit(20, { topic: 'Agents', what: 'MCP server: approved tools', beyond: '400' });
export const MAX_TOOL_DESCRIPTION = declareLimit(2_000, {
  topic: 'Agents',
  what: 'MCP server: description of a tool',
  unit: 'characters',
  beyond: 'the tool cannot be approved',
});
/** The most bytes of the schema of a tool, as JSON. */
export const MAX_TOOL_SCHEMA = declareLimit(8 * 1024, {
  topic: 'Agents',
  what: 'MCP server: JSON schema of a tool',
  unit: 'bytes',
  beyond: 'the tool cannot be approved',
});
export const TOOL_NAME = explainedPattern(
  '^[A-Za-z0-9_-]{1,64}$',
  'must consist of at most 64 letters from a to z, digits, underscores and hyphens',
);

const TOOL_STATUSES = ['APPROVED', 'CHANGED', 'MISSING'] as const;

const InputSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: `The JSON schema of its arguments, of at most ${MAX_TOOL_SCHEMA} bytes`,
});

const toolProperties = {
  name: Type.String({ ...TOOL_NAME, description: 'The name of the tool at its server' }),
  description: Type.String({
    maxLength: MAX_TOOL_DESCRIPTION,
    description: "The server's description of the tool, for the model",
  }),
  input_schema: InputSchema,
};

const McpTool = define(
  'McpTool',
  Type.Object({
    ...toolProperties,
    status: oneOf(
      TOOL_STATUSES,
      "APPROVED: agents can call it; CHANGED: the server's description differs from the approved one; MISSING: " +
        "the server does not offer it. Agents don't get the last two",
    ),
  }),
);
export type McpTool = Static<typeof McpTool>;

const HEADER_NAME = explainedPattern(
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$",
  'must be the name of a header, of at most 100 characters',
);
const HEADER_VALUE = explainedPattern(
  '^[!-~•](?:[ -~]*[!-~])?$|^•{4}',
  'must consist of visible ASCII characters, with spaces only between them',
);

const LookUpArguments = Type.Record(
  Type.String({ minLength: 1, maxLength: 64 }),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: 20,
    description:
      'The arguments of the call by name. Texts can have values of the contact: `{{contact.name}}`, `first_name`, `email`, `phone_number`, ' +
      '`country_code`, `external_id`, `professional_network_identifier`, `language`, and `{{custom_fields.slug}}`',
  },
);

const LOOK_UP =
  'The call with which people look a contact up, as `GET /v1/contacts/{id}/look-ups/{server}` does; null for none';

export const McpServer = define(
  'McpServer',
  Type.Object({
    _id: recordId('mcp-server'),
    company: recordId('company'),
    name: plain.name,
    url: plain.text('The address of MCP over streamable HTTP'),
    header: nullable(
      plain.object('The header sent with each call; null for none', {
        name: plain.name,
        value: plain.text('Masked: `••••1234`'),
      }),
    ),
    tools: Type.Array(ref(McpTool), { description: 'The approved tools, as they were then' }),
    look_up: nullable(plain.object(LOOK_UP, { tool: plain.text('The name of the tool'), arguments: LookUpArguments })),
    checked_at: nullable(Type.String({ ...Timestamp, description: 'When the server was last checked' })),
    error: nullable(plain.text('The error of the last check; null if it succeeded')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type McpServer = Static<typeof McpServer>;

const writableProperties = {
  url: webAddress('The address of MCP over streamable HTTP; must be public'),
  header: nullable(
    plain.strict('A header sent with each call, such as Authorization; null for none', {
      name: Type.String({ ...HEADER_NAME, description: 'The name of the header' }),
      value: Type.String({
        minLength: 1,
        maxLength: 4_096,
        ...HEADER_VALUE,
        description: 'Stored encrypted. A mask keeps the stored value, unless the address changes',
      }),
    }),
  ),
  tools: Type.Array(strict(toolProperties), {
    maxItems: MAX_TOOLS,
    description:
      'The tools that agents can call, as the check of the server lists them. Replaces all. Their descriptions ' +
      "and schemas are kept. If the server changes a tool's description later, models do not get the tool " +
      'until it is approved again',
  }),
  look_up: nullable(
    plain.strict(LOOK_UP, {
      tool: Type.String({ ...TOOL_NAME, description: 'The name of an approved tool' }),
      arguments: LookUpArguments,
    }),
  ),
};

export const McpServerCreate = define(
  'McpServerCreate',
  strict({
    name: Name,
    url: writableProperties.url,
    header: Type.Optional(writableProperties.header),
    tools: Type.Optional(writableProperties.tools),
    look_up: Type.Optional(writableProperties.look_up),
  }),
);
export type McpServerCreate = Static<typeof McpServerCreate>;

export const McpServerUpdate = define(
  'McpServerUpdate',
  strict({
    name: Type.Optional(Name),
    url: Type.Optional(writableProperties.url),
    header: Type.Optional(writableProperties.header),
    tools: Type.Optional(writableProperties.tools),
    look_up: Type.Optional(writableProperties.look_up),
  }),
);
export type McpServerUpdate = Static<typeof McpServerUpdate>;

export const McpServerParams = Type.Object({ id: recordId('mcp-server') });
export const McpServerList = pageSchema(ref(McpServer));
export const McpServerQuery = pageQuery('-createdAt', { search: searchParameter('Part of the name') });
export type McpServerQuery = Static<typeof McpServerQuery>;

export const McpCheck = define(
  'McpCheck',
  Type.Object({
    server: ref(McpServer, 'The server as it is after the check'),
    offered: Type.Array(
      Type.Object({
        name: plain.name,
        description: plain.text("The server's description of the tool"),
        input_schema: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'The JSON schema of its arguments',
        }),
        status: oneOf(
          ['NEW', 'APPROVED', 'CHANGED'],
          'NEW: not approved; CHANGED: the description differs from the approved one',
        ),
        refusal: nullable(plain.text('Why it cannot be approved; null if it can')),
      }),
      { description: 'What the server currently offers, at most 100 tools' },
    ),
  }),
);
export type McpCheck = Static<typeof McpCheck>;

export const LookUpParams = Type.Object({ id: recordId('contact'), server: recordId('mcp-server') });

export const ContactLookUp = define(
  'ContactLookUp',
  Type.Object({
    contact: recordId('contact'),
    server: recordId('mcp-server'),
    text: nullable(plain.text('What the tool returned, which may be JSON; null if it was not called or has failed')),
    cut: Type.Boolean({ description: 'Whether the tool returned more than `text` has' }),
    error: nullable(plain.text('Why the look-up failed; null if it did not')),
    missing: Type.Array(Type.String(), {
      description: 'The variables for which the contact has no value. The tool is called only if there are none',
    }),
  }),
);
export type ContactLookUp = Static<typeof ContactLookUp>;
