/** The calls of this channel to its network: to send a message, to mark a message as read, and to check the credentials of an inbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NetworkRefusal, type OutboundMessage, type SendResult } from '../channel.ts';
import type { Callback, CheckResult } from '../check.ts';
import type { WapConfig } from './settings.ts';
import { addressRecipient, buildBody } from './body.ts';
import { findOverload, retryRule } from './errors.ts';
import { describeFailure, isUsableToken, NO_TOKEN, type FailedCall, type Graph, type GraphAnswer } from './graph.ts';
import { namePerson, toPerson } from './person.ts';
import { asIdentifier, asLabel, asList, asRecord, type Json } from '../values.ts';

export interface WapSender {
  /** Sends a message and returns before the signal aborts the call. Sends it again only after a refusal that is safe to repeat. */
  sendMessage(message: OutboundMessage, config: WapConfig, signal: AbortSignal): Promise<SendResult>;
  /**
   * Marks a message as read. Throws when the network did not confirm; the caller may repeat the call, because marking twice is harmless.
   */
  markRead(externalId: string, config: WapConfig, signal: AbortSignal): Promise<void>;
  showTyping(externalId: string, config: WapConfig, signal: AbortSignal): Promise<void>;
  /** Checks the credentials and subscribes the app to the account, because without the subscription the network sends no notifications. */
  check(config: WapConfig, signal: AbortSignal, callback: Callback | null): Promise<CheckResult>;
}

/** The pauses before the next tries: a short fault of the network either passes within a second or lasts longer than a request may take. */
const RETRY_DELAYS_MS = [300, 1000];
/**
 * The pause after too many messages to one recipient. The network asks for 4^n seconds: 4 s, then 16 s, which is too long for a request.
 */
const PAIR_DELAY_MS = 4000;
/** The time limit of all tries of one message together, because a message is sent within a request. */
const SEND_BUDGET_MS = 10_000;
/**
 * The least time that must be left for a further try. With less time the try could be cut off, and a certain refusal would become an
 * unknown outcome.
 */
const LEAST_ATTEMPT_MS = 3000;

export function createWapSender(graph: Graph): WapSender {
  return {
    sendMessage: (message, config, signal) => sendMessage(graph, { message, config, signal }),
    markRead: (externalId, config, signal) => sendReadMark(graph, makeReadMark(externalId), { config, signal }),
    // The network knows this only together with a read mark. It ends with the next message, or after 25 seconds.
    showTyping: (externalId, config, signal) =>
      sendReadMark(graph, { ...makeReadMark(externalId), typing_indicator: { type: 'text' } }, { config, signal }),
    check: (config, signal, callback) => checkCredentials(graph, { config, signal }, callback),
  };
}

const makeReadMark = (externalId: string): Json => ({
  messaging_product: 'whatsapp',
  status: 'read',
  message_id: externalId,
});

async function sendReadMark(graph: Graph, body: Json, { config, signal }: Pick<Sending, 'config' | 'signal'>) {
  const answer = await graph(makeMessagesCall(body, config, signal));
  if (answer.outcome === 'done') return;
  const words = `The message was not marked as read. ${describeFailure(answer)}`;
  throw answer.outcome === 'refused' ? new NetworkRefusal(words, answer.error) : new Error(words);
}

/**
 * Returns how long to wait before the next try after a refusal with `code`; null when the message must not
 * be sent again. `attempts` and `elapsedMs` are the tries and the time that this message has used so far.
 */
export function retryDelayMs(code: number | string, attempts: number, elapsedMs: number): number | null {
  const retry = retryRule(code);
  const paired = retry === 'pair' && attempts === 1 ? PAIR_DELAY_MS : undefined;
  const delayMs = retry === 'now' ? RETRY_DELAYS_MS[attempts - 1] : paired;
  if (delayMs === undefined || elapsedMs + delayMs + LEAST_ATTEMPT_MS > SEND_BUDGET_MS) return null;
  return delayMs;
}

interface Sending {
  message: OutboundMessage;
  config: WapConfig;
  signal: AbortSignal;
}

async function sendMessage(graph: Graph, { message, config, signal }: Sending): Promise<SendResult> {
  const recipient = addressRecipient(message.to);
  if (!recipient) return makeLocalRefusal('The recipient has no address on this channel.');
  const body = buildBody(message, recipient);
  if (!body) return makeLocalRefusal('The network does not support this kind of message.');
  const call = makeMessagesCall(body, config, signal);
  const start = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    const answer = await graph(call);
    if (answer.outcome === 'unknown') return { outcome: 'unknown' };
    if (answer.outcome === 'done') return readAcceptance(answer.body);
    const rejected = toRejection(message, answer);
    if (message.isPaced && findOverload(answer.error.code) !== null) return rejected;
    const delayMs = retryDelayMs(answer.error.code, attempts, performance.now() - start);
    if (delayMs === null || !(await waitBeforeRetry(delayMs, signal))) return rejected;
  }
}

/**
 * After these error codes the network may have forgotten an uploaded file, or may never have had it: unknown object (33), parameter
 * (100, 131009). Its words would say more, but the network changes them.
 */
const FORGETFUL_CODES: readonly (number | string)[] = [33, 100, 131009];

function toRejection({ file, cards }: OutboundMessage, { error, network }: Refusal): SendResult {
  const isUploaded = [file, ...(cards?.values() ?? [])].some((each) => each !== null && each.networkId !== null);
  const fileForgotten = network && isUploaded && FORGETFUL_CODES.includes(error.code);
  return { outcome: 'rejected', error, network, ...(fileForgotten && { fileForgotten }) };
}

/** Returns the refusal of a message that is not sent to the network. */
function makeLocalRefusal(message: string): SendResult {
  const error = { code: 'PROVIDER_REJECTED', title: '', message, details: '' };
  return { outcome: 'rejected', error, network: false };
}

/**
 * Waits before the next try. Failure policy: when the caller aborts during the wait, the message keeps the refusal of its last try, and
 * nothing more is sent.
 */
async function waitBeforeRetry(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(delayMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

function makeMessagesCall(body: Json, config: WapConfig, signal: AbortSignal) {
  const path = [config.phone_number_id, 'messages'];
  return { method: 'POST' as const, path, body, token: config.business_token, signal };
}

/** Reads the network's answer to an accepted message. Without the id of the message in the answer, the outcome is unknown. */
function readAcceptance(body: Json): SendResult {
  const sent = asRecord(asList(body.messages)[0]);
  const externalId = asIdentifier(sent?.id);
  if (externalId === null) return { outcome: 'unknown' };
  const status = asLabel(sent?.message_status);
  const contact = asRecord(asList(body.contacts)[0]);
  const person = toPerson(namePerson(contact?.wa_id, contact?.user_id, contact?.parent_user_id));
  const held = status === null || status === 'accepted' ? {} : { held: status };
  return { outcome: 'accepted', externalId, person, ...held };
}

async function checkCredentials(
  graph: Graph,
  { config, signal }: { config: WapConfig; signal: AbortSignal },
  callback: Callback | null,
): Promise<CheckResult> {
  const { phone_number_id: numberId, waba_id: accountId, business_token: token } = config;
  if (!isUsableToken(token)) return { ok: false, error: NO_TOKEN, retry: false };
  const fields = 'id,display_phone_number,verified_name,is_on_biz_app,platform_type';
  const number = await graph({ method: 'GET', path: [numberId], query: { fields }, token, signal });
  if (number.outcome !== 'done') return toCheckFailure(number);
  if (asIdentifier(number.body.id) !== numberId) {
    return { ok: false, error: 'The network answered for another phone number id.', retry: false };
  }
  const app = await graph({ method: 'POST', path: [accountId, 'subscribed_apps'], token, signal });
  if (app.outcome !== 'done') return toCheckFailure(app);
  if (app.body.success !== true) {
    return { ok: false, error: 'The network did not confirm the subscription to the account.', retry: true };
  }
  if (callback) {
    // An empty address removes the callback address of this phone number.
    const webhook_configuration =
      callback.url === null
        ? { override_callback_uri: '' }
        : { override_callback_uri: callback.url, verify_token: callback.verifyToken };
    const override = await graph({ method: 'POST', path: [numberId], body: { webhook_configuration }, token, signal });
    if (override.outcome !== 'done') return toCheckFailure(override);
  }
  return { ok: true, coexistence: readCoexistence(number.body) };
}

/**
 * Returns true when the phone number is used in the business app and on the Cloud API at the same time; null when the network does not
 * report it.
 */
function readCoexistence({ is_on_biz_app: onApp, platform_type: platform }: Json): boolean | null {
  if (typeof onApp !== 'boolean') return null;
  return onApp && (typeof platform !== 'string' || platform === 'CLOUD_API');
}

/**
 * After these error codes a person has to change the settings, and another check is useless: token (0, 104, 190),
 * permission (3, 10, 200–299), id (33, 803), parameter (100), callback address that cannot be verified (2200).
 */
const PERSONAL_CODES: readonly (number | string)[] = [0, 104, 190, 3, 10, 33, 803, 100, 2200];

function needsPerson(code: number | string): boolean {
  return PERSONAL_CODES.includes(code) || (typeof code === 'number' && code >= 200 && code <= 299);
}

type Refusal = Extract<GraphAnswer, { outcome: 'refused' }>;

function toCheckFailure(answer: FailedCall): CheckResult {
  const retry = answer.outcome === 'unknown' || !needsPerson(answer.error.code);
  return { ok: false, error: describeFailure(answer), retry };
}
