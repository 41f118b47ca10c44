import { answer, toObject, toText, type Answer, type Json } from '../exchange.ts';
import { publish } from '../live.ts';
import type { Sandbox } from '../state.ts';
import { postEvent } from './events.ts';
import { createJid } from './jid.ts';
import { keepMessage, makeKeyId, type GatewaySettings, type Instance } from './state.ts';

type Call = { sandbox: Sandbox; query: URLSearchParams; body: unknown };

const problem = (error: string): Answer => answer({ error }, 400);

const STATES = ['open', 'connecting', 'close'];

/** The operations of the control API that concern the gateway. */
export const GATEWAY_OPERATIONS: Record<string, (call: Call) => Answer | Promise<Answer>> = {
  'GET gateway/instances': ({ sandbox }) => answer({ instances: [...sandbox.gateway.instances.values()] }),
  'POST gateway/instances': putInstance,
  'PATCH gateway/instances': changeInstance,
  'GET gateway/calls': ({ sandbox }) => answer({ calls: sandbox.gateway.calls }),
  'GET gateway/settings': ({ sandbox }) => answer(sandbox.gateway.settings),
  'PUT gateway/settings': putSettings,
  'POST gateway/inbound': writeInbound,
  'POST gateway/notify': notify,
};

function findInstance({ gateway }: Sandbox, body: Json): Instance | undefined {
  return gateway.instances.get(toText(body['instance']) ?? toText(body['name']) ?? '');
}

/** Registers an instance, or replaces one. */
function putInstance({ sandbox, body }: Call): Answer {
  const given = toObject(body);
  const [name, apiKey] = [toText(given['name']), toText(given['api_key'])];
  if (!name || !apiKey) return problem('name and api_key are required.');
  const instance: Instance = {
    name,
    api_key: apiKey,
    integration: given['integration'] === 'business' ? 'business' : 'baileys',
    number: toText(given['number']) ?? '5585991239999',
    state: STATES.includes(String(given['state'])) ? (given['state'] as Instance['state']) : 'open',
    webhook: null,
  };
  sandbox.gateway.instances.set(name, instance);
  return answer(instance, 201);
}

/** Changes the state of an instance, as when a phone scans the QR code or signs out, and reports it. */
async function changeInstance({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const instance = findInstance(sandbox, given);
  if (!instance || !STATES.includes(String(given['state'])))
    return problem('There is no such instance, or no such state.');
  instance.state = given['state'] as Instance['state'];
  const statusReason = instance.state === 'close' ? 401 : 200;
  const data = { instance: instance.name, state: instance.state, statusReason };
  return answer({ ...instance, status: await postEvent(sandbox, instance, 'connection.update', data) });
}

function putSettings({ sandbox, body }: Call): Answer {
  const { gateway } = sandbox;
  const given = toObject(body);
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(gateway.settings, key));
  if (unknown !== undefined) return problem(`There is no setting ${unknown}.`);
  const delays = { ...gateway.settings.status_delays_ms, ...toObject(given['status_delays_ms']) };
  gateway.settings = { ...gateway.settings, ...given, status_delays_ms: delays } as GatewaySettings;
  return answer(gateway.settings);
}

/** Plays a contact, or the company's own phone with `from_me`. A text is enough; `message` and `message_type` are anything else. */
async function writeInbound({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const instance = findInstance(sandbox, given);
  if (!instance) return problem('There is no such instance.');
  const from = toText(given['from']) ?? '5585991230001';
  const key = {
    remoteJid: createJid(from),
    fromMe: given['from_me'] === true,
    id: toText(given['id']) ?? makeKeyId(sandbox.gateway, instance),
    ...toObject(given['key']),
  };
  const text = toText(given['text']);
  const data = {
    key,
    pushName: toText(given['name']) ?? 'Maria',
    message: text === undefined ? toObject(given['message']) : { conversation: text },
    messageType: toText(given['message_type']) ?? 'conversation',
    messageTimestamp: Math.floor(Date.now() / 1_000),
    instanceId: instance.name,
    source: 'android',
  };
  keepMessage(sandbox.gateway, key.id, {
    instance: instance.name,
    number: from,
    data,
    base64: toText(given['base64']) ?? null,
  });
  const status = await postEvent(sandbox, instance, 'messages.upsert', data);
  publish(sandbox.listeners, 'messages', 'gateway', { instance: instance.name });
  return answer({ id: key.id, status });
}

/** Posts any event. */
async function notify({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const instance = findInstance(sandbox, given);
  const event = toText(given['event']);
  if (!instance || event === undefined) return problem('instance and event are required.');
  return answer({ status: await postEvent(sandbox, instance, event, given['data']) });
}
