import { toObject, toText, type Json } from '../exchange.ts';
import type { Sandbox } from '../state.ts';
import { postEvent } from './events.ts';
import { createJid } from './jid.ts';
import { showFile, showMessage } from './shown.ts';
import { keepMessage, makeKeyId, type Instance } from './state.ts';

export function findInstance({ gateway }: Sandbox, body: Json): Instance | undefined {
  return gateway.instances.get(toText(body['instance']) ?? toText(body['name']) ?? '');
}

/**
 * Plays a contact, or the company's own phone with `from_me`. A text is enough; `message` and `message_type` are anything else. Returns the
 * status of the first try, or an error sentence.
 */
export async function writeInbound(
  sandbox: Sandbox,
  given: Json,
): Promise<{ id: string; status: number | null } | string> {
  const instance = sandbox.gateway.instances.get(toText(given['instance']) ?? '');
  if (!instance) return 'There is no such instance.';
  const from = toText(given['from']) ?? '5585991230001';
  const key = {
    remoteJid: createJid(from),
    fromMe: given['from_me'] === true,
    id: toText(given['id']) ?? makeKeyId(sandbox.gateway, instance),
    ...toObject(given['key']),
  };
  const text = toText(given['text']);
  const message = text === undefined ? toObject(given['message']) : { conversation: text };
  const data = {
    key,
    pushName: toText(given['name']) ?? 'Maria',
    message,
    messageType: toText(given['message_type']) ?? 'conversation',
    messageTimestamp: Math.floor(Date.now() / 1_000),
    instanceId: instance.name,
    source: 'android',
  };
  const stored = keepMessage(sandbox.gateway, key.id, {
    instance: instance.name,
    number: from,
    data,
    base64: toText(given['base64']) ?? null,
    quoted: findQuoted(message),
  });
  showFile(sandbox, stored);
  showMessage(sandbox, key.id);
  const status = await postEvent(sandbox, instance, 'messages.upsert', data);
  stored.delivered = status === 200;
  showMessage(sandbox, key.id);
  return { id: key.id, status };
}

const findQuoted = (message: Json): string | null =>
  Object.values(message)
    .map((part) => toText(toObject(toObject(part)['contextInfo'])['stanzaId']))
    .find((id) => id !== undefined) ?? null;
