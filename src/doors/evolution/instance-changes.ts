/** The routes that create, connect and close instances. */
import { readFlag, readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { badRequest, EvolutionError, fromProblem } from './errors.ts';
import { expectTexts } from './given.ts';
import { readState } from './instances.ts';
import { readWebhook, WEBHOOKS_PATH } from './webhook-routes.ts';
import type { Asked, EvolutionCaller, EvolutionRoutes, InstanceRoute } from './route.ts';

const BUSINESS = 'WHATSAPP-BUSINESS';
/** What the key of a new instance may do: all that the door does with it. */
const SCOPES = [
  'inboxes:read',
  'inboxes:update',
  'messages:create',
  'messages:read',
  'contacts:read',
  'contacts:update',
  'conversations:read',
  'conversations:update',
  'attachments:create',
  'attachments:read',
  'webhooks:*',
];

/** The network's own names: `number` is its id of the number, and `businessId` its id of the account. */
async function createInstance(caller: EvolutionCaller, { body, idempotencyKey }: Asked): Promise<JsonObject> {
  const [instanceName = ''] = expectTexts(body, 'instanceName');
  if (readText(body, 'integration') !== BUSINESS) throw badRequest('Invalid integration');
  const [id, account, token, owner] = expectTexts(body, 'number', 'businessId', 'token', 'ownerJid');
  const given = readObject(body, 'webhook');
  const webhook = readText(given, 'url') === null ? null : readWebhook(given);
  const settings = readSettings(body);
  const answer = await caller.ask('POST', '/v1/inboxes', {
    body: {
      channel: 'WAP_AUTO_CLOSER',
      name: instanceName,
      door_name: instanceName,
      door_settings: settings,
      number: `+${owner?.replaceAll(/@.*|\D/g, '')}`,
      api_wap_config: { phone_number_id: id, waba_id: account, business_id: account, business_token: token },
    },
    ...(idempotencyKey && { idempotencyKey }),
  });
  const { body: inbox } = answer;
  if (inbox.code === 'INSTANCE_EXISTS')
    throw new EvolutionError(403, [`This name "${instanceName}" is already in use.`]);
  if (answer.status >= 400) throw fromProblem(answer);
  if (webhook) await addWebhook(caller, webhook, inbox);
  const { body: key } = await caller.ask('POST', '/v1/api-keys', {
    body: { name: `Evolution: ${instanceName}`.slice(0, 100), type: 'company', scopes: SCOPES, format: 'SHORT' },
  });
  return {
    instance: { instanceName, instanceId: inbox._id, integration: BUSINESS, status: readState(inbox) },
    // A client that may not create keys goes on with its own.
    hash: key.token ?? caller.key,
    webhook: webhook
      ? {
          webhookUrl: webhook.url,
          webhookByEvents: webhook.options.by_events,
          webhookBase64: webhook.options.base64,
        }
      : {},
    settings,
  };
}

/** Without its webhook the instance is not left behind, so that the client can create it again. */
async function addWebhook({ ask, call }: EvolutionCaller, webhook: JsonObject, inbox: JsonObject): Promise<void> {
  const answer = await ask('PUT', WEBHOOKS_PATH, { body: { ...webhook, inbox: inbox._id } });
  if (answer.status < 400) return;
  await call('PUT', `/v1/inboxes/${inbox._id}`, { body: { status: 'DELETED' } });
  throw fromProblem(answer);
}

const nameState = (inbox: JsonObject): JsonObject => ({
  instance: { instanceName: inbox.door_name, state: readState(inbox) },
});

/** Saving an inbox that has an error checks its connection again. */
const restart: InstanceRoute = {
  status: 200,
  async run({ call }, _asked, inbox) {
    const checked = await call('PUT', `/v1/inboxes/${inbox._id}`, { body: { status: 'ACTIVE' } });
    return { instance: { instanceName: checked.door_name, status: readState(checked) } };
  },
};

/** The settings of an instance, as long as nobody has set them. */
const SETTINGS = {
  rejectCall: false,
  msgCall: '',
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
};

const readSettings = (body: JsonObject): JsonObject => {
  const { msgCall, ...flags } = SETTINGS;
  const given = Object.keys(flags).map((name) => [name, readFlag(body, name) ?? false]);
  return { ...Object.fromEntries(given), msgCall: readText(body, 'msgCall') ?? msgCall };
};

export const INSTANCE_CHANGES: EvolutionRoutes = {
  'POST instance/create': { isPlain: true, run: createInstance },
  'GET instance/connect': {
    async run({ call }, _asked, inbox) {
      if (readState(inbox) === 'open') return nameState(inbox);
      const pairing = await call('GET', `/v1/inboxes/${inbox._id}/pairing`);
      if (pairing.state === 'FAILED') throw badRequest(String(pairing.error));
      if (pairing.state !== 'WAITING')
        return nameState({ ...inbox, ...(pairing.state === 'CONNECTED' && { connection: { status: 'CONNECTED' } }) });
      return { pairingCode: pairing.code, code: null, base64: pairing.picture, count: 1 };
    },
  },
  'POST instance/restart': restart,
  'PUT instance/restart': restart,
  'POST settings/set': {
    async run({ call }, { body }, inbox) {
      const settings = readSettings(body);
      await call('PUT', `/v1/inboxes/${inbox._id}`, { body: { door_settings: settings } });
      return { settings: { instanceName: inbox.door_name, settings } };
    },
  },
  'GET settings/find': { run: async (_caller, _asked, inbox) => inbox.door_settings ?? SETTINGS },
  'DELETE instance/delete': {
    async run({ call }, _asked, inbox) {
      await call('PUT', `/v1/inboxes/${inbox._id}`, { body: { status: 'DELETED' } });
      return { status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } };
    },
  },
};
