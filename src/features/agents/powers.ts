/**
 * What agents can do, and the scopes that stand for it: an agent does not get more rights than the caller who creates or changes it has.
 * Only what a request adds needs the scopes, so every other change of an agent needs none of them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Need } from '../../platform/http/needs.ts';
import type { Scope } from '../../platform/values/scopes.ts';
import { findAgent } from './queries.ts';
import { DEFAULT_TOOLS, type Agent, type AgentCreate, type AgentTool, type AgentUpdate } from './schemas.ts';

type Able = Pick<Agent, 'type' | 'url' | 'knowledge_scope' | 'knowledge' | 'tools' | 'tables' | 'mcp_servers'>;

interface Power {
  scopes: readonly Scope[];
  /** When a change of the agent needs the scopes. */
  when: string;
  /** What lets the agent do it. */
  find(agent: Able): readonly unknown[];
  /** What a try of the agent shows, and to which agents that applies. */
  shows?: { scope: Scope; when: string };
}

const tool = (name: AgentTool, power: Pick<Power, 'scopes' | 'shows'>): Power => ({
  ...power,
  when: `if the agent gets the tool ${name}`,
  find: ({ tools }) => tools.filter((each) => each === name),
});

const POWERS: readonly Power[] = [
  {
    scopes: ['messages:create', 'messages:read', 'attachments:read'],
    when: 'if the agent gets another `url`, because that server receives what contacts write and answers them',
    find: ({ url }) => (url === null ? [] : [url]),
  },
  {
    scopes: ['messages:read', 'attachments:read'],
    when: 'if the agent gets an MCP server, which can receive what contacts write',
    find: ({ mcp_servers }) => mcp_servers,
  },
  {
    scopes: ['knowledge:read'],
    when: 'if the agent gets further knowledge items, which a new AI agent does unless `knowledge_scope` is LISTED',
    find: ({ type, knowledge_scope, knowledge }) =>
      knowledge_scope === 'LISTED' ? knowledge : type === 'AI' ? ['ALL'] : [],
    shows: { scope: 'knowledge:read', when: 'if the agent has knowledge items' },
  },
  {
    scopes: ['tables:read'],
    when: 'if the agent gets further tables, or the tool READ_TABLES for those that it has',
    find: ({ tables, tools }) => [
      ...tables,
      ...(tables.length > 0 && tools.includes('READ_TABLES') ? ['READ_TABLES'] : []),
    ],
    shows: { scope: 'tables:read', when: 'if the agent has tables' },
  },
  tool('SEND_FILE', {
    scopes: ['messages:create', 'knowledge:read', 'attachments:read'],
    shows: { scope: 'knowledge:read', when: 'if the agent has the tool SEND_FILE' },
  }),
  tool('READ_FIELDS', { scopes: ['contacts:read', 'conversations:read'] }),
  tool('WRITE_FIELDS', {
    scopes: ['contacts:update', 'conversations:update'],
    shows: { scope: 'custom-fields:read', when: 'if the agent has the tool WRITE_FIELDS' },
  }),
  tool('MOVE_STEP', {
    scopes: ['conversations:update'],
    shows: { scope: 'pipelines:read', when: 'if the agent has the tool MOVE_STEP' },
  }),
  tool('SCHEDULE_FOLLOW_UP', { scopes: ['messages:create'] }),
];

const NEW = {
  url: null,
  knowledge: [],
  tools: DEFAULT_TOOLS,
  tables: [],
  mcp_servers: [],
};

const isGained = ({ find }: Power, before: Able | null, given: AgentCreate | AgentUpdate): boolean => {
  const held = before ? find(before) : [];
  const listed = given.knowledge && given.knowledge.length > 0 ? 'LISTED' : undefined;
  const knowledge_scope = given.knowledge_scope ?? listed ?? before?.knowledge_scope ?? 'ALL';
  const next = { ...(before ?? { ...NEW, type: 'AI' as const }), ...given, knowledge_scope };
  return find(next).some((each) => !held.some((one) => isDeepStrictEqual(one, each)));
};

/** What a caller needs to create an agent. */
export const CREATE_NEEDS: Need<{ body: AgentCreate }>[] = POWERS.map((power) => ({
  scopes: power.scopes,
  when: power.when,
  arises: (_tenant, { body }) => isGained(power, null, body),
}));

/** What a caller needs to change an agent. */
export const UPDATE_NEEDS: Need<{ params: { id: string }; body: AgentUpdate }>[] = POWERS.map((power) => ({
  scopes: power.scopes,
  when: power.when,
  arises: async ({ read }, { params, body }) => {
    const before = await findAgent(read, params.id);
    return before !== null && isGained(power, before, body);
  },
}));

/** What a caller needs to try an agent, whose answer may have everything that it reads. */
export const TRY_NEEDS: Need<{ params: { id: string } }>[] = POWERS.flatMap(({ find, shows }) =>
  shows
    ? [
        {
          scopes: [shows.scope],
          when: shows.when,
          arises: async ({ read }, { params }) => {
            const agent = await findAgent(read, params.id);
            // The server of an EXTERNAL agent gets only what the caller gives it.
            return agent?.type === 'AI' && find(agent).length > 0;
          },
        },
      ]
    : [],
);
