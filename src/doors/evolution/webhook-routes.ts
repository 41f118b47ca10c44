/** The webhook of an instance, which is registered in the three spellings of Evolution's versions, its documentation and its n8n node. */
import { readFlag, readList, readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { invalidBody, required } from './errors.ts';
import type { Asked, EvolutionCaller, EvolutionRoutes } from './route.ts';
import { EVENT_NAMES } from './webhook-format.ts';

export const WEBHOOKS_PATH = '/v1/door-webhooks';
/** Headers of the request itself. Evolution's own examples have content-type. */
const OWN_HEADER = /^(?:content-.*|host|connection|accept-encoding)$/i;

async function findWebhook({ call }: EvolutionCaller, inbox: JsonObject): Promise<JsonObject | null> {
  const query = { door: 'EVOLUTION', inbox: inbox._id as string, limit: 1, skipCount: true };
  const { result } = await call('GET', WEBHOOKS_PATH, { query });
  const [found] = result as JsonObject[];
  return found ?? null;
}

/** Evolution's record of a webhook. */
const show = (webhook: JsonObject): JsonObject => ({
  id: webhook._id,
  url: webhook.url,
  headers: webhook.custom_headers,
  enabled: webhook.status === 'ACTIVE',
  events: webhook.events,
  webhookByEvents: webhook.options.by_events,
  webhookBase64: webhook.options.base64,
  createdAt: webhook.createdAt,
  updatedAt: webhook.updatedAt,
  instanceId: webhook.inbox,
});

const readOneFlag = (from: JsonObject, ...names: string[]): boolean | null =>
  names.map((name) => readFlag(from, name)).find((flag) => flag !== null) ?? null;

function readEvents(given: JsonObject): string[] {
  const events = readList(given, 'events').map(String);
  const unknown = events.findIndex((event) => !EVENT_NAMES.includes(event));
  if (unknown >= 0)
    throw invalidBody(`instance.webhook.events[${unknown}] is not one of enum values: ${EVENT_NAMES.join(',')}`);
  return events.length > 0 ? [...new Set(events)] : EVENT_NAMES;
}

function readHeaders(given: JsonObject): Record<string, string> {
  const headers = readObject(given, 'headers');
  const values = Object.keys(headers).map((name) => [name, readText(headers, name)] as const);
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === null || OWN_HEADER.test(name) ? [] : [[name, value.trim()]])),
  );
}

/** Reads what PUT /v1/door-webhooks takes, without the inbox. */
export function readWebhook(given: JsonObject): JsonObject {
  const url = readText(given, 'url');
  if (url === null) throw required('url');
  const isEnabled = readFlag(given, 'enabled') ?? true;
  return {
    door: 'EVOLUTION',
    url,
    events: isEnabled ? readEvents(given) : [],
    custom_headers: readHeaders(given),
    options: {
      by_events: readOneFlag(given, 'byEvents', 'webhookByEvents', 'webhook_by_events') ?? false,
      base64: readOneFlag(given, 'base64', 'webhookBase64', 'webhook_base64') ?? false,
      include_apikey: readOneFlag(given, 'include_apikey', 'includeApikey') ?? true,
    },
    status: isEnabled ? 'ACTIVE' : 'INACTIVE',
  };
}

async function setWebhook(caller: EvolutionCaller, { body }: Asked, inbox: JsonObject): Promise<JsonObject> {
  const wrapped = readObject(body, 'webhook');
  const webhook = readWebhook(Object.keys(wrapped).length > 0 ? wrapped : body);
  return show(await caller.call('PUT', WEBHOOKS_PATH, { body: { ...webhook, inbox: inbox._id } }));
}

export const WEBHOOK_ROUTES: EvolutionRoutes = {
  'POST webhook/set': { run: setWebhook },
  'GET webhook/find': {
    run: async (caller, _asked, inbox) => {
      const webhook = await findWebhook(caller, inbox);
      return webhook && show(webhook);
    },
  },
};
