/**
 * Sends a message: into the chat with the person where one is known, and else by starting one. The gateway has no key that would recognise
 * a repetition, so a call that may have sent the message is never repeated.
 */
import { NetworkRefusal, type OutboundMessage, type SendResult } from '../channel.ts';
import { textOf, type ContentOf } from '../content.ts';
import { describeFailure, makeRefusal, type FailedCall, type GatewayAnswer } from '../gateway.ts';
import { NETWORK_ID, type Identity } from '../identity.ts';
import type { AnsweredMessage } from '../thread.ts';
import { asIdentifier, type Json } from '../values.ts';
import { makeForm, type OutboundForm } from '../../platform/outside/outbound-form.ts';
import { callGateway, type Network } from './gateway.ts';
import { CHAT_NAME, findChat, findNetworkName, isProviderId, nameChat } from './person.ts';
import { nameReaction, OURS } from './reaction.ts';
import type { NetworkConfig } from './settings.ts';

interface Sending {
  message: OutboundMessage;
  config: NetworkConfig;
  signal: AbortSignal;
}

export async function sendMessage(network: Network, sending: Sending): Promise<SendResult> {
  const { message, config } = sending;
  if (message.content.contentType === 'REACTION') return react(network, message.content.reaction, sending);
  if (textOf(message.content) === null && !message.file)
    return reject('The network does not support this kind of message.');
  const chat = findChat(message.to, config.account_id);
  const sent = chat === null ? null : await sendInto(network, chat, sending);
  // A chat that the network does not have any more took nothing.
  if (sent && !isMissing(sent)) return readSent(sent, sending, chat, []);
  return start(network, sending);
}

/** The gateway names only the message, whichever of its files somebody reacts to. */
async function react(
  network: Network,
  { externalId, emoji }: ContentOf<'REACTION'>['reaction'],
  { message, signal }: Sending,
): Promise<SendResult> {
  const [id = externalId] = externalId.split('#');
  const call = { method: 'POST', path: ['messages', id, 'reaction'], body: { reaction: emoji }, signal } as const;
  const answer = await callGateway(network, call);
  if (answer.outcome === 'unknown') return { outcome: 'unknown' };
  if (answer.outcome === 'refused') return { outcome: 'rejected', error: answer.error, network: answer.network };
  return { outcome: 'accepted', externalId: nameReaction(id, OURS, emoji), person: message.to };
}

const reject = (words: string): SendResult => ({ ...makeRefusal('PROVIDER_REJECTED', words), outcome: 'rejected' });

const MISSING: readonly (number | string)[] = [404, 'errors/resource_not_found'];

const isMissing = (answer: GatewayAnswer): boolean =>
  answer.outcome === 'refused' && answer.network && MISSING.includes(answer.error.code);

async function sendInto(network: Network, chat: string, { message, signal }: Sending): Promise<GatewayAnswer> {
  const quote = message.replyTo === null ? {} : { quote_id: message.replyTo };
  const body = await makeBody(quote, message);
  return callGateway(network, { method: 'POST', path: ['chats', chat, 'messages'], body, signal });
}

/** The gateway starts chats with people by their ids, so the name in the address of a profile is resolved first. */
async function start(network: Network, sending: Sending): Promise<SendResult> {
  const { message, config, signal } = sending;
  const name = findNetworkName(message.to);
  if (name === null) return reject('The recipient has no identifier on this network.');
  const found = isProviderId(name) ? name : await resolve(network, name, sending);
  if (typeof found !== 'string') return { ...found, outcome: 'rejected' };
  const body = await makeBody({ account_id: config.account_id, attendees_ids: found }, message);
  const started = await callGateway(network, { method: 'POST', path: ['chats'], body, signal });
  const chat = started.outcome === 'done' ? asIdentifier(started.body.chat_id) : null;
  return readSent(started, sending, chat, [NETWORK_ID.identify(found)]);
}

type Refused = Extract<GatewayAnswer, { outcome: 'refused' }>;

/** Returns the id of a person, or why nothing was sent. */
async function resolve(network: Network, name: string, { config, signal }: Sending): Promise<string | Refused> {
  const query = { account_id: config.account_id };
  const answer = await callGateway(network, { method: 'GET', path: ['users', name], query, signal });
  if (answer.outcome === 'refused') return answer;
  if (answer.outcome === 'unknown') return makeRefusal('PROVIDER_UNREACHABLE', answer.reason);
  return (
    asIdentifier(answer.body.provider_id) ?? makeRefusal('PROVIDER_REJECTED', 'The network gave the person no id.')
  );
}

function readSent(
  answer: GatewayAnswer,
  { message, config }: Sending,
  chat: string | null,
  learnt: Identity[],
): SendResult {
  if (answer.outcome === 'unknown') return { outcome: 'unknown' };
  if (answer.outcome === 'refused') return { outcome: 'rejected', error: answer.error, network: answer.network };
  const externalId = asIdentifier(answer.body.message_id);
  // The gateway sometimes names no message. Its report of the message then settles the outcome.
  if (externalId === null) return { outcome: 'unknown' };
  const known = message.to.names.filter(({ kind }) => kind !== CHAT_NAME.kind);
  const names = [...known, ...learnt, ...(chat === null ? [] : [nameChat(config.account_id, chat)])];
  return { outcome: 'accepted', externalId, person: { names } };
}

/** A form in both cases, with the file inside, so that the gateway need not reach the platform. */
async function makeBody(fields: Record<string, string>, { content, file }: OutboundMessage): Promise<OutboundForm> {
  const text = textOf(content);
  const words = { ...fields, ...(text !== null && { text }) };
  if (!file) return makeForm(words, null);
  const { fileName, mimeType, bytes } = file;
  return makeForm(words, { field: 'attachments', fileName, mimeType, bytes, content: await file.open() });
}

/** Marks the chat as read. A chat whose id is not known is found by the message. */
export async function markRead(
  network: Network,
  { externalId, person }: AnsweredMessage,
  { config, signal }: Pick<Sending, 'config' | 'signal'>,
): Promise<void> {
  const known = findChat(person, config.account_id);
  const chat = known ?? asIdentifier((await callOrThrow(network, ['messages', externalId], null, signal)).chat_id);
  if (chat === null) throw new Error('The gateway returned no chat.');
  await callOrThrow(network, ['chats', chat], { action: 'setReadStatus', value: true }, signal);
}

async function callOrThrow(network: Network, path: string[], body: Json | null, signal: AbortSignal): Promise<Json> {
  const method = body ? 'PATCH' : 'GET';
  const answer = await callGateway(network, { method, path, ...(body && { body }), signal });
  if (answer.outcome === 'done') return answer.body;
  throw toError(answer);
}

export function toError(answer: FailedCall): Error {
  const words = describeFailure(answer);
  return answer.outcome === 'refused' ? new NetworkRefusal(words, answer.error) : new Error(words);
}
