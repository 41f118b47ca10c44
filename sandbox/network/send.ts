import { answer, type Answer } from '../exchange.ts';
import type { Sandbox } from '../state.ts';
import { describeMessage, postEvent, reportSend } from './events.ts';
import { refuse } from './refuse.ts';
import { showFiles, showMessage } from './shown.ts';
import { findProfile, keepMessage, makeId, openChat, type Chat, type StoredMessage } from './state.ts';

const TYPES: [prefix: string, type: string][] = [
  ['image/', 'img'],
  ['video/', 'video'],
  ['audio/', 'audio'],
];

export const nameType = (mimetype: string): string =>
  TYPES.find(([prefix]) => mimetype.startsWith(prefix))?.[1] ?? 'file';

const readText = (form: FormData | null, name: string): string | null => {
  const value = form?.get(name);
  return typeof value === 'string' ? value : null;
};

/** Starts a chat by a message to a person, whose id the network wants. */
export async function startChat(sandbox: Sandbox, form: FormData | null): Promise<Answer> {
  const account = sandbox.network.accounts.get(readText(form, 'account_id') ?? '');
  const profile = findProfile(sandbox.network, readText(form, 'attendees_ids') ?? '');
  if (!account || profile?.provider_id !== readText(form, 'attendees_ids'))
    return refuse(422, 'invalid_recipient', 'Recipient cannot be reached.');
  const chat = openChat(sandbox.network, account, profile);
  const sent = await send(sandbox, chat, form);
  if ('status' in sent) return sent;
  const id = sandbox.network.settings.without_ids ? null : sent.id;
  return answer({ object: 'ChatStarted', chat_id: chat.id, message_id: id }, 201);
}

export async function sendIn(sandbox: Sandbox, chat: Chat | undefined, form: FormData | null): Promise<Answer> {
  if (!chat) return refuse(404, 'resource_not_found', 'There is no such chat.');
  const sent = await send(sandbox, chat, form);
  if ('status' in sent) return sent;
  return answer({ object: 'MessageSent', message_id: sandbox.network.settings.without_ids ? null : sent.id }, 201);
}

async function send(sandbox: Sandbox, chat: Chat, form: FormData | null): Promise<StoredMessage | Answer> {
  const { network } = sandbox;
  const account = network.accounts.get(chat.account_id);
  if (account?.status !== 'OK') return refuse(401, 'disconnected_account', 'The account is disconnected.');
  const text = readText(form, 'text');
  const given = (form?.getAll('attachments') ?? []).filter((value) => typeof value !== 'string');
  if (text === null && given.length === 0) return refuse(400, 'invalid_parameters', 'A message has a text or a file.');
  const files = await Promise.all(
    given.map(async (file) => ({
      id: makeId(network, 'att'),
      type: nameType(file.type),
      mimetype: file.type,
      file_name: file.name,
      bytes: Buffer.from(await file.arrayBuffer()),
    })),
  );
  const timestamp = new Date().toISOString();
  const quoted = readText(form, 'quote_id');
  const id = makeId(network, 'msg');
  const message = keepMessage(network, { id, chat, text, is_sender: true, files, quoted, timestamp });
  showFiles(sandbox, message);
  showMessage(sandbox, message);
  if (network.settings.echo_first)
    await postEvent(sandbox, 'messaging', describeMessage('message_received', account, message));
  void reportSend(sandbox, account, message);
  return message;
}
