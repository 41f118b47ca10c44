import { answer, toObject, toText, type Answer, type Json } from '../exchange.ts';
import type { Sandbox } from '../state.ts';
import { postEvent } from './events.ts';
import { refuse } from './send.ts';
import { makeInstance } from './state.ts';

/** Makes an instance as the gateway's API does. The sandbox has no key of its own, so the key of the call becomes that of the instance. */
export function createInstance({ gateway }: Sandbox, body: Json, key: string): Answer {
  const name = toText(body['instanceName']) ?? '';
  if (name === '' || key === '') return refuse(400, 'Bad Request', [['instance requires property "instanceName"']]);
  if (gateway.instances.has(name)) return refuse(403, 'Forbidden', [`This name "${name}" is already in use.`]);
  const number = toText(body['number']) ?? '';
  gateway.instances.set(name, makeInstance(name, key, number));
  return answer({ instance: { instanceName: name, status: 'open' }, hash: key }, 201);
}

/** Shows the instances with this key; the sandbox has no key that opens all of them. */
export function showInstances({ gateway }: Sandbox, name: string | null, key: string): Answer {
  const own = [...gateway.instances.values()].filter(({ api_key }) => api_key === key);
  if (own.length === 0) return refuse(401, 'Unauthorized', 'Unauthorized');
  const shown = own.filter((instance) => name === null || instance.name === name);
  return answer(
    shown.map(({ integration, state, number, ...instance }) => ({
      name: instance.name,
      connectionStatus: state,
      integration: integration === 'business' ? 'WHATSAPP-BUSINESS' : 'WHATSAPP-BAILEYS',
      number,
      businessId: integration === 'business' ? instance.waba_id : null,
    })),
  );
}

/** Plays a contact: the gateway has a path of its own by which other programs bring messages to an instance, found by its number. */
export function bringMessage(sandbox: Sandbox, body: Json): Answer {
  const instance = [...sandbox.gateway.instances.values()].find(({ number }) => number === body['numberId']);
  if (!instance) return refuse(404, 'Not Found', ['There is no instance with this number']);
  const { key, pushName, message, messageType } = toObject(body);
  const messageTimestamp = Math.floor(Date.now() / 1_000);
  void postEvent(sandbox, instance, 'messages.upsert', { key, pushName, message, messageType, messageTimestamp });
  return answer({ status: 'success' });
}
