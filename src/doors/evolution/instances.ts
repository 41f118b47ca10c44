/** Instances: the ACTIVE inboxes of the company whose contacts have WhatsApp numbers. */
import { isId } from '../../platform/values/ids.ts';
import { readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { noInstance } from './errors.ts';
import { toJid } from './jid.ts';
import type { EvolutionCaller, EvolutionRoutes } from './route.ts';

/** The channels of instances, and Evolution's names for them. */
const INTEGRATIONS = new Map([
  ['WAP_AUTO_CLOSER', 'WHATSAPP-BUSINESS'],
  ['PARTNER_API', 'WHATSAPP-BAILEYS'],
]);

const STATES = new Map([
  ['CONNECTED', 'open'],
  ['PENDING', 'connecting'],
  ['ERROR', 'close'],
]);

export const readState = ({ connection }: JsonObject): string => STATES.get(connection.status as string) ?? 'close';

const isInstance = ({ status, channel }: JsonObject): boolean =>
  status === 'ACTIVE' && INTEGRATIONS.has(channel as string);

/** Finds the inbox of an instance by its name or its id. Throws 404. */
export async function findInstance({ call, ask }: EvolutionCaller, name: string): Promise<JsonObject> {
  const query = { door_name: name, status: 'ACTIVE', limit: 1, skipCount: true };
  const { result } = await call('GET', '/v1/inboxes', { query });
  const [named] = result as JsonObject[];
  if (named && isInstance(named)) return named;
  const found = isId(name) ? await ask('GET', `/v1/inboxes/${name}`) : null;
  if (found?.status === 200 && isInstance(found.body)) return found.body;
  throw noInstance(name);
}

const PAGE = 100;

async function listInstances({ call }: EvolutionCaller): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const query = { status: 'ACTIVE', limit: PAGE, skipCount: true, sort: 'createdAt', after };
    const { result, meta } = await call('GET', '/v1/inboxes', { query });
    found.push(...(result as JsonObject[]).filter(isInstance));
    after = meta.nextCursor as string | null;
  }
  return found;
}

// What belongs to an instance elsewhere, but is not kept or not shown here.
const ABSENT = {
  profilePicUrl: null,
  token: null,
  disconnectionReasonCode: null,
  disconnectionObject: null,
  disconnectionAt: null,
  Setting: null,
  Chatwoot: null,
  Proxy: null,
  Rabbitmq: null,
  Nats: null,
  Sqs: null,
  Websocket: null,
  _count: null,
};

const showInstance = (inbox: JsonObject): JsonObject => ({
  id: inbox._id,
  name: inbox.door_name,
  connectionStatus: readState(inbox),
  ownerJid: inbox.number ? toJid(inbox.number as string) : null,
  profileName: inbox.name,
  integration: INTEGRATIONS.get(inbox.channel as string),
  number: readDigits(inbox),
  businessId: inbox.api_wap_config?.waba_id ?? null,
  clientName: 'parley',
  ...ABSENT,
  createdAt: inbox.createdAt,
  updatedAt: inbox.updatedAt,
});

const readDigits = ({ number }: JsonObject): string | null => String(number ?? '').replaceAll(/\D/g, '') || null;

export const INSTANCE_ROUTES: EvolutionRoutes = {
  'GET instance/fetchInstances': {
    isPlain: true,
    async run(caller, { query }) {
      const [name, id, number] = ['instanceName', 'instanceId', 'number'].map((each) => readText(query, each));
      const all = await listInstances(caller);
      const found = all.filter(
        (inbox) =>
          (!name || inbox.door_name === name || inbox._id === name) &&
          (!id || inbox._id === id) &&
          (!number || readDigits(inbox) === number.replaceAll(/\D/g, '')),
      );
      if (found.length === 0 && (name ?? id)) throw noInstance(name ?? id ?? '');
      return found.map(showInstance);
    },
  },
  'GET instance/connectionState': {
    run: async (_caller, _asked, inbox) => ({ instance: { instanceName: inbox.door_name, state: readState(inbox) } }),
  },
};
