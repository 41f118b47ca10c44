/** Tools for campaigns, AI agents, and what went wrong. */
import type { JsonObject } from '../../json.ts';
import { defineTool, Id, Optional, PAGE, readList, Text, type ToolCaller } from '../tool.ts';
import { cleanOrNull } from '../untrusted.ts';

const HOUR_MS = 3_600_000;

export const CAMPAIGNS = [
  defineTool({
    name: 'list_campaigns',
    set: 'campaigns',
    title: 'List campaigns',
    description: 'Lists campaigns with status and totals. Not for single messages.',
    kind: 'READ',
    scopes: ['campaigns:read'],
    input: {
      status: Optional(Text('Only campaigns with this status', 20)),
      query: Optional(Text('Part of the name')),
      ...PAGE,
    },
    run: (caller, { status, query: search, ...page }) =>
      readList(caller, '/v1/campaigns', page, { query: { status, search }, show: showCampaign }),
  }),
  defineTool({
    name: 'get_campaign',
    set: 'campaigns',
    title: 'Read a campaign',
    description: 'Returns a campaign with its figures and the causes of failures. Not for starting one.',
    kind: 'READ',
    scopes: ['campaigns:read'],
    input: { campaign: Id('The campaign') },
    async run({ call }, { campaign }) {
      const record = await call('GET', `/v1/campaigns/${campaign}`);
      const { series: _series, steps: _steps, ...figures } = await call('GET', `/v1/campaigns/${campaign}/analytics`);
      return { ...showCampaign(record), figures };
    },
  }),
  defineTool({
    name: 'pause_campaign',
    set: 'campaigns',
    title: 'Pause a campaign',
    description: 'Pauses a running campaign; people resume it in the console. One that is paused stays so.',
    kind: 'WRITE',
    scopes: ['campaigns:read', 'campaigns:update'],
    input: { campaign: Id('The campaign') },
    async run({ call }, { campaign }) {
      const path = `/v1/campaigns/${campaign}`;
      const record = await call('GET', path);
      return showCampaign(record['status'] === 'PAUSED' ? record : await call('POST', `${path}/pause`));
    },
  }),
];

const showCampaign = ({
  _id,
  name,
  status,
  inbox,
  totals,
  scheduled_at,
  pause_reason,
  createdAt,
}: JsonObject): JsonObject => ({
  id: _id,
  name,
  status,
  inbox,
  totals,
  scheduled_at,
  pause_reason,
  created_at: createdAt,
});

export const AGENTS = [
  defineTool({
    name: 'try_agent',
    set: 'agents',
    title: 'Try an AI agent',
    description: 'Returns what an AI agent of the company would answer, with its sources and cost. Nothing is sent.',
    kind: 'READ',
    scopes: ['agents:update'],
    input: { agent: Id('The agent'), message: Text('What a contact would write', 4_000) },
    async run({ call }, { agent, message }) {
      const { outcome, reason, answer, passages, cost } = await call('POST', `/v1/agents/${agent}/try`, {
        body: { message },
      });
      const sources = (passages as JsonObject[]).map(({ item, name, coverage }) => ({ item, name, coverage }));
      return { outcome, reason, answer, sources, cost };
    },
  }),
];

export const HEALTH = [
  defineTool({
    name: 'list_failures',
    set: 'health',
    title: 'List failures',
    description:
      'Returns failed messages per inbox by cause, and failed webhook deliveries. Not for a campaign: use get_campaign.',
    kind: 'READ',
    scopes: ['inboxes:read'],
    input: {
      since: Optional(Text('Deliveries after this time (ISO 8601); messages are those of the last 24 hours', 40)),
    },
    async run(caller, { since }) {
      const { result } = await caller.call('GET', '/v1/inboxes', { query: { limit: 50, skipCount: true } });
      const inboxes: JsonObject[] = [];
      for (const { _id, name } of result as JsonObject[]) inboxes.push(await readFailures(caller, _id, name));
      const from = since ?? new Date(Date.now() - 24 * HOUR_MS).toISOString();
      const deliveries = caller.may('webhooks:read')
        ? await readList(
            caller,
            '/v1/webhooks/deliveries',
            { limit: 50 },
            { query: { status: 'FAILED', from }, show: showDelivery },
          )
        : null;
      return {
        inboxes: inboxes.filter(({ count, connection_error }) => count > 0 || connection_error !== null),
        ...(deliveries && { deliveries: countByCause(deliveries['items']) }),
      };
    },
  }),
];

async function readFailures({ call }: ToolCaller, inbox: string, name: string): Promise<JsonObject> {
  const { connection, failures } = await call('GET', `/v1/inboxes/${inbox}/health`);
  return { inbox, name, connection_error: connection.error ?? null, count: failures.count, causes: failures.causes };
}

const showDelivery = ({ event, error, response_status, queued_at }: JsonObject): JsonObject => ({
  event,
  error,
  response_status,
  queued_at,
});

function countByCause(deliveries: JsonObject[]): JsonObject[] {
  const groups = Map.groupBy(deliveries, ({ error, response_status }) => `${error} ${response_status}`);
  return [...groups.values()].map((group) => ({
    error: group[0]?.['error'],
    response_status: group[0]?.['response_status'],
    count: group.length,
    last_at: group[0]?.['queued_at'],
  }));
}

export const RESEARCH = [
  defineTool({
    name: 'search',
    set: 'research',
    title: 'Search',
    description: 'Finds knowledge of the company for a question.',
    kind: 'READ',
    scopes: ['knowledge:read'],
    input: { query: Text('The question', 1_000) },
    async run({ call, kit }, { query }) {
      const { result } = await call('POST', '/v1/knowledge/search', { body: { query, limit: 10 } });
      const found = new Map((result as JsonObject[]).map(({ item, name }) => [String(item), String(name)]));
      return { results: [...found].map(([id, title]) => ({ id, title, url: makeUrl(kit.config.PUBLIC_URL, id) })) };
    },
  }),
  defineTool({
    name: 'fetch',
    set: 'research',
    title: 'Fetch',
    description: 'Returns the text of a knowledge item that search has found.',
    kind: 'READ',
    scopes: ['knowledge:read'],
    input: { id: Id('id of a result') },
    async run({ call, kit }, { id }) {
      const { name, content } = await call('GET', `/v1/knowledge/${id}`);
      return { id, title: name, text: cleanOrNull(content) ?? '', url: makeUrl(kit.config.PUBLIC_URL, id) };
    },
  }),
];

const makeUrl = (publicUrl: string, item: string): string => `${publicUrl}/console/knowledge/${item}`;
