/** The calls of this channel that concern people: to send a message, to mark one as read, to show that someone writes, and to find numbers. */
import { NetworkRefusal, type NetworkAccess, type OutboundMessage, type SendResult } from '../channel.ts';
import type { AnsweredMessage } from '../thread.ts';
import { asIdentifier, asNumber, asRecord, asText, type Json } from '../values.ts';
import { buildCall } from './body.ts';
import { describeFailure, makeRefusal } from '../gateway.ts';
import { callGateway, type GatewayCall } from './gateway.ts';
import { readPerson, toJid, toNumber } from './jid.ts';
import type { PartnerApiConfig } from './settings.ts';

type Network = Pick<NetworkAccess, 'outbound'>;
type Calling = Pick<GatewayCall, 'config' | 'signal'>;

/** The words of an instance that does not have the call. Instances on the Cloud API have neither of those below. */
const UNAVAILABLE = /Method not available/i;

/** How long the gateway shows that someone writes. It answers afterwards, so this is less than the time limit of the call. */
const TYPING_MS = 6_000;

/** Sends a message with one call. The gateway has no key that would recognise a repetition, so a call is never repeated. */
export async function sendMessage(
  network: Network,
  message: OutboundMessage,
  config: PartnerApiConfig,
  signal: AbortSignal,
): Promise<SendResult> {
  const number = toNumber(message.to);
  if (number === null) return reject('The recipient has no address on this channel.');
  const call = buildCall(message, number);
  if (!call) return reject('The network does not support this kind of message.');
  const answer = await callGateway(network, { method: 'POST', ...call, config, signal });
  if (answer.outcome === 'done') return readAcceptance(answer.body);
  return answer.outcome === 'unknown'
    ? { outcome: 'unknown' }
    : { outcome: 'rejected', error: answer.error, network: answer.network };
}

function reject(words: string): SendResult {
  return { ...makeRefusal('PROVIDER_REJECTED', words), outcome: 'rejected' };
}

/**
 * Reads the answer to a send. An instance that uses the Cloud API answers 201 also when the Cloud API refuses the message, with its error in the
 * place of the message.
 */
function readAcceptance(body: Json): SendResult {
  const key = asRecord(body.key);
  const externalId = asIdentifier(key?.id);
  if (key && externalId !== null) return { outcome: 'accepted', externalId, person: readPerson(key) };
  const code = asNumber(body.code);
  const words = asText(body.message);
  if (code === null && words === null) return { outcome: 'unknown' };
  const details = asText(asRecord(body.error_data)?.details) ?? '';
  const error = { code: code ?? 'PROVIDER_REJECTED', title: asText(body.type) ?? '', message: words ?? '', details };
  return { outcome: 'rejected', error, network: true };
}

export function markRead(network: Network, { externalId, person }: AnsweredMessage, calling: Calling): Promise<void> {
  const readMessages = [{ id: externalId, fromMe: false, remoteJid: toJid(person) }];
  return callOrThrow(network, { method: 'POST', path: 'chat/markMessageAsRead', body: { readMessages }, ...calling });
}

/** Only a paired phone can delete messages: the Cloud API has no such call. */
export async function revokeMessage(
  network: Network,
  { externalId, person }: AnsweredMessage,
  calling: Calling,
): Promise<void> {
  const body = { id: externalId, fromMe: true, remoteJid: toJid(person) };
  const answer = await callGateway(network, {
    method: 'DELETE',
    path: 'chat/deleteMessageForEveryone',
    body,
    ...calling,
  });
  if (answer.outcome === 'refused') throw new NetworkRefusal(describeFailure(answer), answer.error);
  if (answer.outcome === 'unknown') throw new Error(describeFailure(answer));
}

export async function findNumbers(
  network: Network,
  numbers: readonly string[],
  calling: Calling,
): Promise<Map<string, string>> {
  const call = { method: 'POST', path: 'chat/whatsappNumbers', body: { numbers: [...numbers] }, ...calling } as const;
  const answer = await callGateway(network, call);
  if (answer.outcome !== 'done' || !Array.isArray(answer.body.list))
    throw new Error(answer.outcome === 'done' ? 'The gateway answered without a list.' : describeFailure(answer));
  const known = answer.body.list.map(asRecord).filter((item) => item?.exists === true);
  return new Map(known.map((item) => [asIdentifier(item?.number) ?? '', asIdentifier(item?.jid) ?? '']));
}

export function showTyping(network: Network, { person }: AnsweredMessage, calling: Calling): Promise<void> {
  const body = { number: toNumber(person), delay: TYPING_MS, presence: 'composing' };
  return callOrThrow(network, { method: 'POST', path: 'chat/sendPresence', body, ...calling });
}

async function callOrThrow(network: Network, call: GatewayCall): Promise<void> {
  const answer = await callGateway(network, call);
  if (answer.outcome === 'done') return;
  // An instance that has no such call will not have it later either, so the caller must not try again.
  if (answer.outcome === 'refused' && UNAVAILABLE.test(answer.error.message)) return;
  const words = describeFailure(answer);
  throw answer.outcome === 'refused' ? new NetworkRefusal(words, answer.error) : new Error(words);
}
