import { answer, toObject, toText, type Answer } from '../exchange.ts';
import { publishAccounts } from '../phone/phone.ts';
import type { Sandbox } from '../state.ts';
import { postEvent } from './events.ts';
import { findInstance, writeInbound } from './inbound.ts';
import { makeInstance, type GatewaySettings, type Instance } from './state.ts';

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
  'POST gateway/inbound': async ({ sandbox, body }) => {
    const written = await writeInbound(sandbox, toObject(body));
    return typeof written === 'string' ? problem(written) : answer(written);
  },
  'POST gateway/notify': notify,
};

/** Registers an instance, or replaces one. */
function putInstance({ sandbox, body }: Call): Answer {
  const given = toObject(body);
  const [name, apiKey] = [toText(given['name']), toText(given['api_key'])];
  if (!name || !apiKey) return problem('name and api_key are required.');
  const instance: Instance = {
    ...makeInstance(name, apiKey, toText(given['number']) ?? '5585991239999'),
    integration: given['integration'] === 'business' ? 'business' : 'baileys',
    ...(STATES.includes(String(given['state'])) && { state: given['state'] as Instance['state'] }),
    waba_id: toText(given['waba_id']) ?? '200000000000001',
  };
  sandbox.gateway.instances.set(name, instance);
  publishAccounts(sandbox, 'partner');
  return answer(instance, 201);
}

/** Changes the state of an instance, as when a phone scans the QR code or signs out, and reports it. */
async function changeInstance({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const instance = findInstance(sandbox, given);
  if (!instance || !STATES.includes(String(given['state'])))
    return problem('There is no such instance, or no such state.');
  instance.state = given['state'] as Instance['state'];
  publishAccounts(sandbox, 'partner');
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

/** Posts any event. */
async function notify({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const instance = findInstance(sandbox, given);
  const event = toText(given['event']);
  if (!instance || event === undefined) return problem('instance and event are required.');
  return answer({ status: await postEvent(sandbox, instance, event, given['data']) });
}
