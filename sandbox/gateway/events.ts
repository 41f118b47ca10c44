import { waitMs, type Json } from '../exchange.ts';
import { isLoopbackUrl } from '../loopback.ts';
import { postOnce, type Post } from '../post.ts';
import type { Sandbox } from '../state.ts';
import { showMessage } from './shown.ts';
import type { Instance } from './state.ts';

/** The answers after which the gateway does not post an event again. */
const FINAL = [400, 401, 403, 404, 422];
const TRIES = 10;

/** Posts an event to the webhook of the instance. Resolves with the status of the first try, or null when nothing was posted or nobody answered. */
export async function postEvent(
  sandbox: Sandbox,
  instance: Instance,
  event: string,
  data: unknown,
): Promise<number | null> {
  const { webhook } = instance;
  const listed = event.toUpperCase().replaceAll('.', '_');
  const isWanted = webhook?.enabled && (webhook.events.length === 0 || webhook.events.includes(listed));
  if (!webhook || !isWanted || !isLoopbackUrl(webhook.url)) return null;
  const body = JSON.stringify({
    event,
    instance: instance.name,
    data,
    destination: webhook.url,
    date_time: new Date().toISOString(),
    sender: `${instance.number}@s.whatsapp.net`,
    server_url: `${sandbox.url}/gateway`,
    apikey: instance.api_key,
  });
  const request = { url: webhook.url, headers: { 'content-type': 'application/json', ...webhook.headers }, body };
  const { duplicates } = sandbox.gateway.settings;
  for (let copy = 0; copy < duplicates; copy += 1) void postOnce(request);
  const status = await postOnce(request);
  if (!isSettled(status)) void repeat(sandbox, request);
  return status;
}

const isSettled = (status: number | null): boolean =>
  status !== null && ((status >= 200 && status < 300) || FINAL.includes(status));

async function repeat(sandbox: Sandbox, post: Post): Promise<void> {
  const { generation } = sandbox;
  let pauseMs = sandbox.gateway.settings.retry_ms;
  for (let tries = 1; tries < TRIES; tries += 1) {
    await waitMs(pauseMs);
    if (sandbox.generation !== generation || isSettled(await postOnce(post))) return;
    pauseMs *= 2;
  }
}

/** The words for the states of a sent message, which a phone and the Cloud API spell in different ways. */
const WORDS = {
  baileys: { SERVER_ACK: 'SERVER_ACK', DELIVERY_ACK: 'DELIVERY_ACK', READ: 'READ' },
  business: { SERVER_ACK: 'SENT', DELIVERY_ACK: 'DELIVERED', READ: 'READ' },
};

type State = keyof (typeof WORDS)['baileys'];

const SHOWN = { SERVER_ACK: 'sent', DELIVERY_ACK: 'delivered', READ: 'read' } as const;
const RANK = ['accepted', 'sent', 'delivered', 'read'];

/** Reports the states of a sent message, one after another. */
export async function reportStates(sandbox: Sandbox, instance: Instance, key: Json): Promise<void> {
  const { generation } = sandbox;
  const delays = sandbox.gateway.settings.status_delays_ms;
  await Promise.all(
    (['SERVER_ACK', 'DELIVERY_ACK', 'READ'] as const).map(async (state) => {
      const delayMs = delays[state];
      if (delayMs === null) return;
      await waitMs(delayMs);
      if (sandbox.generation === generation) await reportState(sandbox, instance, key, state);
    }),
  );
}

/** Reports that a sent message has reached a state, and shows it on the pages. */
export async function reportState(sandbox: Sandbox, instance: Instance, key: Json, state: State): Promise<void> {
  const id = String(key['id']);
  const stored = sandbox.gateway.messages.get(id);
  const shown = SHOWN[state];
  if (stored && RANK.indexOf(shown) > RANK.indexOf(stored.status)) stored.status = shown;
  showMessage(sandbox, id);
  await postEvent(sandbox, instance, 'messages.update', {
    messageId: `internal-${id}`,
    keyId: id,
    remoteJid: key['remoteJid'],
    fromMe: instance.integration === 'baileys',
    participant: null,
    status: WORDS[instance.integration][state],
    instanceId: instance.name,
  });
}
