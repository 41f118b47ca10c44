/** Tools that read what the company has set up. */
import type { JsonObject } from '../../json.ts';
import { defineTool, Id, Optional, PAGE, readList, Text } from '../tool.ts';

export const SETUP = [
  defineTool({
    name: 'list_inboxes',
    set: 'setup',
    title: 'List inboxes',
    description: 'Lists the inboxes with channel, number, connection and quality. Not for their conversations.',
    kind: 'READ',
    scopes: ['inboxes:read'],
    input: { ...PAGE },
    run: (caller, page) => readList(caller, '/v1/inboxes', page, { show: showInbox }),
  }),
  defineTool({
    name: 'list_templates',
    set: 'setup',
    title: 'List templates',
    description: 'Lists the message templates of an inbox with body and variables. Not for free texts.',
    kind: 'READ',
    scopes: ['inboxes:read'],
    input: { inbox: Id('The inbox'), query: Optional(Text('Part of the name')), ...PAGE },
    run: (caller, { inbox, query: search, ...page }) =>
      readList(caller, `/v1/inboxes/${inbox}/templates`, page, {
        query: { search, status: 'APPROVED' },
        show: showTemplate,
      }),
  }),
  defineTool({
    name: 'list_team',
    set: 'setup',
    title: 'List users, teams, agents and steps',
    description:
      'Lists users, teams, AI agents and pipelines with their steps, for ids in other tools. Not for contacts.',
    kind: 'READ',
    scopes: ['users:read'],
    input: {},
    async run(caller) {
      const all = { limit: 50 };
      const list = async (path: string, show: (record: JsonObject) => JsonObject): Promise<unknown> =>
        (await readList(caller, path, all, { show }))['items'];
      return {
        users: await list('/v1/users', ({ _id, name, role, status }) => ({ id: _id, name, role, status })),
        teams: await list('/v1/teams', ({ _id, name, members }) => ({ id: _id, name, members })),
        ...(caller.may('agents:read') && {
          agents: await list('/v1/agents', ({ _id, name, description, status }) => ({
            id: _id,
            name,
            description,
            status,
          })),
        }),
        ...(caller.may('pipelines:read') && {
          pipelines: await list('/v1/pipelines', ({ _id, name, steps }) => ({
            id: _id,
            name,
            steps: (steps as JsonObject[]).map((step) => ({ id: step['_id'], name: step['name'] })),
          })),
        }),
      };
    },
  }),
];

const showInbox = ({ _id, name, channel, number, status, connection, standing }: JsonObject): JsonObject => ({
  id: _id,
  name,
  channel,
  number,
  status,
  connection: connection.status ?? connection,
  quality: standing?.quality_rating ?? null,
});

const showTemplate = ({ name, language, category, components, parameters }: JsonObject): JsonObject => ({
  name,
  language,
  category,
  body: findBody(components),
  variables: (parameters as JsonObject[])
    .filter(({ required }) => required)
    .map((parameter) => ({ name: nameVariable(parameter), type: parameter['type'], example: parameter['example'] })),
});

export const findBody = (components: JsonObject[]): string | null =>
  (components.find(({ type }) => String(type).toUpperCase() === 'BODY')?.['text'] as string | undefined) ?? null;

/** The name by which prepare_message takes the value of a variable: that of the body's is its own name or its number. */
export function nameVariable({ component, name, position, index }: JsonObject): string {
  const own = String(name ?? position);
  if (component === 'BODY') return own;
  return component === 'BUTTON' ? `button_${index}` : `${String(component).toLowerCase()}_${own}`;
}
