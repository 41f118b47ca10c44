/** Sends a message as an operation does, and answers as Evolution does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../json.ts';
import { EvolutionError, fromProblem, refused } from './errors.ts';
import { expectPerson, noSuchNumber, readDelayMs, readQuoted } from './given.ts';
import type { Named } from './jid.ts';
import { findMessage, lookUpBy, showMessage } from './messages.ts';
import { findContact, showTyping } from './people.ts';
import type { Asked, EvolutionCaller } from './route.ts';

/** What a route sends: the operation, and the message in its body. */
export interface Content {
  path: string;
  message: JsonObject;
}

type Recipient = (Named & { inboxId: string }) | { conversationId: string };

export interface Send {
  caller: EvolutionCaller;
  asked: Asked;
  inbox: JsonObject;
  /** The body in the form of version 2. */
  given: JsonObject;
}

/** Sends what `make` returns. Numbers are read before it, because it may store a file. */
export async function sendContent(send: Send, make: () => Content | Promise<Content>): Promise<JsonObject> {
  const { caller, inbox, given } = send;
  const person = expectPerson(given);
  const content = await make();
  const quoted = readQuoted(given);
  const replyTo = quoted === null ? null : await findMessage(caller, inbox, quoted);
  const delayMs = readDelayMs(given);
  if (delayMs > 0) {
    await showTyping(caller, inbox, await findContact(caller, String(given.number)));
    await sleep(delayMs);
  }
  return postContent(send, { inboxId: inbox._id as string, ...person }, content, replyTo?._id as string | undefined);
}

/** Sends to a person in the inbox, or into a conversation. */
export async function postContent(
  send: Send,
  recipient: Recipient,
  content: Content,
  replyTo?: string,
): Promise<JsonObject> {
  return showSent(send.caller, await post(send, recipient, content, replyTo));
}

async function post(
  { caller, asked, given }: Pick<Send, 'caller' | 'asked' | 'given'>,
  recipient: Recipient,
  { path, message }: Content,
  replyTo: string | undefined,
): Promise<JsonObject> {
  const body = { ...recipient, message, ...(replyTo && { replyTo }) };
  const { idempotencyKey } = asked;
  const answered = await caller.ask('POST', path, { body, ...(idempotencyKey && { idempotencyKey }) });
  const { status, body: answer } = answered;
  if (status < 400) return answer;
  const faults = ((answer.errors ?? []) as JsonObject[]).map((fault) => fault.path);
  if (faults.includes('phone')) throw noSuchNumber(String(given.number));
  if (answer.code === 'CONTENT_NOT_SUPPORTED') throw refused();
  // Evolution sends without a quote what answers a message that it does not find, or that is in another chat.
  if (replyTo !== undefined && faults.includes('replyTo')) {
    return post({ caller, asked, given }, recipient, { path, message }, undefined);
  }
  throw fromProblem(answered);
}

/** A message that the platform or the network has refused is stored as FAILED; for a client of Evolution its send has failed. */
async function showSent(caller: EvolutionCaller, sent: JsonObject): Promise<JsonObject> {
  const [cause] = sent.errors as JsonObject[];
  if (sent.status === 'FAILED') {
    const words = cause ? `${cause.code}: ${cause.message || cause.title}` : 'FAILED';
    throw new EvolutionError(400, [words], { parley: { _id: sent._id as string, code: cause?.code ?? null } });
  }
  const { key, pushName, ...shown } = await showMessage(lookUpBy(caller), sent);
  return { key, pushName, status: 'PENDING', ...shown };
}
