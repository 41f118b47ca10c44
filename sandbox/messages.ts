import { randomBytes } from 'node:crypto';
import type { Account } from './accounts.ts';
import { answer, toObject, toText, getOwnProperty, parseJson, type Answer, type Json } from './exchange.ts';
import { makeErrorAnswer, type GraphFailure } from './graph-errors.ts';
import type { SentMessage } from './graph-state.ts';
import { fetchLink } from './links.ts';
import { checkMessage } from './message-rules.ts';
import { publishTyping, showInbound } from './phone/phone.ts';
import { pushToRing } from './ring.ts';
import type { Sandbox } from './state.ts';
import { scheduleStatuses, showSent } from './statuses.ts';
import { checkTemplateMessage, renderTemplate } from './template-messages.ts';

/** Answers `POST /{phone}/messages`, which sends a message, or a read receipt with or without a typing indicator. */
export function postMessage(sandbox: Sandbox, account: Account, bytes: Buffer | null): Answer {
  const body = toObject(parseJson(bytes));
  const failure = checkEnvelope(sandbox, account, body);
  if (failure !== undefined) {
    sandbox.graph.stats.refused += 1;
    return makeErrorAnswer(failure);
  }
  if (body['status'] === 'read') return markRead(sandbox, account, body);
  return acceptMessage(sandbox, account, body);
}

function checkEnvelope(sandbox: Sandbox, account: Account, body: Json): GraphFailure | undefined {
  if (body['messaging_product'] !== 'whatsapp') {
    return { code: 100, message: '(#100) The parameter messaging_product is required.' };
  }
  if (body['status'] !== undefined) {
    if (body['status'] !== 'read') return { code: 100, details: "Param status must be one of {'read'}." };
    if (!toText(body['message_id'])) return { code: 100, message: '(#100) The parameter message_id is required.' };
    const isKnown = body['typing_indicator'] === undefined || toObject(body['typing_indicator'])['type'] === 'text';
    return isKnown ? undefined : { code: 100, details: "Param typing_indicator['type'] must be one of {'text'}." };
  }
  return (
    checkRecipient(sandbox, account, body) ??
    checkMessage(sandbox, body) ??
    checkTemplateMessage(sandbox, account, body)
  );
}

const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

function checkRecipient(sandbox: Sandbox, account: Account, body: Json): GraphFailure | undefined {
  const to = toText(body['to']);
  if (to === undefined) {
    const recipient = toText(body['recipient']);
    if (recipient === undefined) return { code: 100, message: '(#100) The parameter to is required.' };
    if (!USER_ID.test(recipient)) return { code: 131009, details: 'Param recipient is not a valid user id.' };
    return undefined;
  }
  const digits = onlyDigits(to);
  if (!/^[+\d\s().-]+$/.test(to) || digits.length < 7 || digits.length > 15) {
    return { code: 131009, details: `Param to is not a valid phone number: "${to.slice(0, 40)}".` };
  }
  if (digits === onlyDigits(account.display_phone_number)) {
    return { code: 131021, details: 'The sender and the recipient are the same phone number.' };
  }
  const allowed = sandbox.graph.settings.allowed_recipients;
  if (allowed !== null && !allowed.some((number) => onlyDigits(number) === digits)) {
    return { code: 131030, details: 'Recipient phone number not in allowed list: add it to the list and try again.' };
  }
  return undefined;
}

export const onlyDigits = (text: string): string => text.replace(/\D/g, '');

/** Removes the ninth digit of a Brazilian mobile number; any other number stays unchanged. */
const withoutNinthDigit = (digits: string): string => digits.replace(/^(55\d{2})9(\d{8})$/, '$1$2');

/** Whether two numbers are the same person's, with and without the ninth digit; other identifiers have to be equal. */
export const isSamePerson = (a: string, b: string): boolean =>
  a === b || (onlyDigits(b) !== '' && withoutNinthDigit(a) === withoutNinthDigit(onlyDigits(b)));

function markRead(sandbox: Sandbox, account: Account, body: Json): Answer {
  const id = String(body['message_id']);
  sandbox.graph.stats.reads += 1;
  const message = sandbox.graph.inboundById.get(id);
  if (message !== undefined) {
    message.read = true;
    showInbound(sandbox, message);
  }
  if (body['typing_indicator'] !== undefined) {
    sandbox.graph.stats.typings += 1;
    const contact = message?.from ?? '';
    publishTyping(sandbox, { network: 'whatsapp', account: account.phone_number_id, contact });
  }
  return answer({ success: true });
}

function acceptMessage(sandbox: Sandbox, account: Account, body: Json): Answer {
  const message = storeMessage(sandbox, account, body);
  sandbox.graph.stats.sends += 1;
  showSent(sandbox, message);
  const missed =
    sandbox.graph.settings.enforce_window && message.type !== 'template' && !isWindowOpen(sandbox, message);
  const link = missed ? undefined : toText(toObject(getOwnProperty(body, message.type))['link']);
  if (missed) scheduleStatuses(sandbox, account, message, OUTSIDE_WINDOW);
  else if (link === undefined) scheduleStatuses(sandbox, account, message);
  else void fetchLink(sandbox, account, message, link);
  const input = toText(body['to']) ?? message.to;
  const contact = message.wa_id === '' ? { input, user_id: message.to } : { input, wa_id: message.wa_id };
  return answer({
    messaging_product: 'whatsapp',
    contacts: [contact],
    messages: [
      {
        id: message.id,
        ...(message.type === 'template' ? { message_status: sandbox.graph.settings.template_message_status } : {}),
      },
    ],
  });
}

const OUTSIDE_WINDOW = {
  code: 131047,
  details:
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
};

function isWindowOpen(sandbox: Sandbox, message: SentMessage): boolean {
  const at = sandbox.graph.lastInboundAt.get(windowKey(message.phone_number_id, message.wa_id || message.to));
  return at !== undefined && Date.now() - at < sandbox.graph.settings.window_ms;
}

/** Returns the key of a contact's 24-hour window. A number with and without the ninth digit is the same contact. */
export const windowKey = (phoneNumberId: string, contact: string): string =>
  `${phoneNumberId}/${withoutNinthDigit(contact)}`;

function storeMessage(sandbox: Sandbox, account: Account, body: Json): SentMessage {
  const given = toText(body['to']);
  const digits = given === undefined ? '' : onlyDigits(given);
  const at = new Date().toISOString();
  const callbackData = toText(body['biz_opaque_callback_data']);
  const template = body['template'];
  const message: SentMessage = {
    seq: sandbox.graph.sent.nextSeq,
    id: makeMessageId(digits || String(body['recipient'])),
    phone_number_id: account.phone_number_id,
    waba_id: account.waba_id,
    to: digits || String(body['recipient']),
    wa_id: sandbox.graph.settings.wa_id_ninth_digit === 'drop' ? withoutNinthDigit(digits) : digits,
    type: toText(body['type']) ?? 'text',
    body,
    status: 'accepted',
    states: [{ status: 'accepted', at }],
    ...(template === undefined
      ? {}
      : { preview: renderTemplate(sandbox.graph.catalogue, account, toObject(template)) }),
    ...(callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData }),
    created_at: at,
  };
  const evicted = pushToRing(sandbox.graph.sent, message);
  if (evicted !== undefined) sandbox.graph.sentById.delete(evicted.id);
  sandbox.graph.sentById.set(message.id, message);
  return message;
}

/** Makes an id that looks like the network's: `wamid.` and base64 that contains the recipient. */
export function makeMessageId(contact: string): string {
  const unique = randomBytes(9).toString('hex').toUpperCase();
  return `wamid.${Buffer.from(`\u001d\u0018\r${contact}\u0015\u0002\u0011\u0018\u0012${unique}\u0000`).toString('base64')}`;
}
