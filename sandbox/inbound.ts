import { findCallbackAddress, findAccount, type Account } from './accounts.ts';
import { toObject, toText, getOwnProperty, type Json } from './exchange.ts';
import type { GraphState, InboundMessage } from './graph-state.ts';
import { addMedia, choosePhoneFile, describeMediaFile } from './media.ts';
import { onlyDigits, makeMessageId, windowKey } from './messages.ts';
import type { PostResult } from './notification-queue.ts';
import { notify } from './notifier.ts';
import { showInbound } from './phone/phone.ts';
import { drawPlaceholder } from './placeholder-image.ts';
import { pushToRing } from './ring.ts';
import type { Sandbox } from './state.ts';

/** The stored message of a contact; `delivered` is whether the first POST of its notification succeeded. */
export type InboundResult = { id: string } & PostResult;

const DEFAULT_FROM = '5511988887777';
const DEFAULT_NAME = 'Maria Silva';

/**
 * Writes a message as a contact would: stores it, opens the 24-hour window and notifies the webhook. `input` has `phone_number_id`, `from`,
 * `bsuid`, `name`, `type`, `text`, `context`, `media` and `raw`, all optional. Returns an error sentence when the input is wrong.
 */
export async function writeInbound(sandbox: Sandbox, given: Json): Promise<InboundResult | string> {
  const input = given['type'] === 'file' ? sendFileAsPhone(given) : given;
  if (typeof input === 'string') return input;
  const account = chooseAccount(sandbox, toText(input['phone_number_id']));
  if (account === undefined) return 'There is no account with this phone_number_id.';
  const from = input['from'] === null ? '' : onlyDigits(toText(input['from']) ?? DEFAULT_FROM);
  const bsuid = toText(input['bsuid']);
  if (from === '' && bsuid === undefined) return 'One of from and bsuid is required.';
  const name = toText(input['name']) ?? DEFAULT_NAME;
  const message = buildMessage(sandbox, input, from, bsuid);
  const record: InboundMessage = {
    seq: sandbox.graph.inbound.nextSeq,
    id: String(message['id']),
    phone_number_id: account.phone_number_id,
    from: from || String(bsuid),
    name,
    message,
    delivered: null,
    read: false,
    created_at: new Date().toISOString(),
  };
  storeInbound(sandbox, record);
  const contact = {
    profile: { name },
    ...(from === '' ? {} : { wa_id: from }),
    ...(bsuid === undefined ? {} : { user_id: bsuid }),
  };
  const target = findCallbackAddress(sandbox.graph.accounts, account, sandbox.graph.settings.callback_url);
  const isHeard =
    !sandbox.graph.settings.require_subscription || sandbox.graph.accounts.subscribed.has(account.waba_id);
  const first = await new Promise<PostResult>((resolve) => {
    const tried = (result: PostResult): void => {
      recordTry(sandbox, record, result);
      resolve(result);
    };
    if (isHeard) notify(sandbox, { account, target, kind: 'messages', item: message, contact }, tried);
    else tried({ delivered: false, status: null });
  });
  return { id: record.id, ...first };
}

function recordTry(sandbox: Sandbox, record: InboundMessage, { delivered }: PostResult): void {
  record.delivered = delivered;
  showInbound(sandbox, record);
}

function chooseAccount(sandbox: Sandbox, phoneNumberId: string | undefined): Account | undefined {
  if (phoneNumberId !== undefined) return findAccount(sandbox.graph.accounts, phoneNumberId);
  const [first] = sandbox.graph.accounts.byPhone.values();
  return first ?? findAccount(sandbox.graph.accounts, '100000000000001');
}

function buildMessage(sandbox: Sandbox, input: Json, from: string, bsuid: string | undefined): Json {
  const type = toText(input['type']) ?? 'text';
  const context = toText(input['context']) === undefined ? input['context'] : { id: input['context'] };
  return {
    ...(from === '' ? {} : { from }),
    ...(bsuid === undefined ? {} : { from_user_id: bsuid }),
    id: makeMessageId(from || String(bsuid)),
    timestamp: String(Math.floor(Date.now() / 1_000)),
    type,
    ...buildPayload(sandbox, type, input),
    ...(context === undefined ? {} : { context }),
    ...toObject(input['raw']),
  };
}

/** Gives a file the message type that it has when a phone sends it. Returns an error sentence when the network would refuse the file. */
function sendFileAsPhone(given: Json): Json | string {
  const { base64, mime_type, file_name } = toObject(given['media']);
  const file = choosePhoneFile(toText(mime_type) ?? '', Buffer.byteLength(toText(base64) ?? '', 'base64'));
  if (typeof file === 'string') return file;
  const { messageType: type, mimeType } = file;
  // The network names the files of documents only.
  return { ...given, type, media: { base64, mime_type: mimeType, ...(type === 'document' ? { file_name } : {}) } };
}

const MEDIA_TYPES = new Set(['image', 'video', 'audio', 'document', 'sticker']);

function buildPayload(sandbox: Sandbox, type: string, input: Json): Json {
  if (type === 'text') return { text: { body: toText(input['text']) ?? '' } };
  const raw = toObject(input['raw']);
  if (!MEDIA_TYPES.has(type) || getOwnProperty(raw, type) !== undefined) return {};
  const { base64, mime_type, file_name } = toObject(input['media']);
  const given = toText(base64);
  const bytes = given === undefined ? drawPlaceholder(sandbox.graph.inbound.nextSeq) : Buffer.from(given, 'base64');
  const mimeType = toText(mime_type) ?? 'image/png';
  const fileName = toText(file_name);
  const media = addMedia(sandbox.graph.media, {
    bytes,
    mimeType,
    phoneNumberId: null,
    ...(fileName === undefined ? {} : { fileName }),
  });
  const caption = toText(input['text']);
  const voice = type === 'audio' ? { voice: mimeType.startsWith('audio/ogg') } : {};
  return { [type]: { ...describeMediaFile(media), ...voice, ...(caption === undefined ? {} : { caption }) } };
}

function storeInbound(sandbox: Sandbox, record: InboundMessage): void {
  const evicted = pushToRing(sandbox.graph.inbound, record);
  if (evicted !== undefined) sandbox.graph.inboundById.delete(evicted.id);
  sandbox.graph.inboundById.set(record.id, record);
  sandbox.graph.stats.inbound += 1;
  rememberWindow(
    sandbox.graph,
    windowKey(record.phone_number_id, record.from),
    Number(record.message['timestamp']) * 1_000,
  );
  showInbound(sandbox, record);
}

// Far more contacts than any test uses. Beyond this, the contact that wrote longest ago is forgotten first.
const WINDOWS_KEPT = 100_000;

function rememberWindow({ lastInboundAt }: GraphState, key: string, at: number): void {
  lastInboundAt.delete(key);
  lastInboundAt.set(key, at);
  if (lastInboundAt.size <= WINDOWS_KEPT) return;
  const [oldest] = lastInboundAt.keys();
  if (oldest !== undefined) lastInboundAt.delete(oldest);
}
