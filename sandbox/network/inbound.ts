import { toObject, toText, type Json } from '../exchange.ts';
import type { Sandbox } from '../state.ts';
import { describeMessage, postEvent } from './events.ts';
import { nameType } from './send.ts';
import { showFiles, showMessage } from './shown.ts';
import { addProfile, findProfile, keepMessage, makeId, openChat, type NetworkState, type StoredFile } from './state.ts';

type Written = { id: string; chat: string; status: number | null; event: Json };

/**
 * Plays a contact, or a person of the company on another device with `is_sender`. `more` replaces parts of the event. Returns the status of
 * the first try, or an error sentence.
 */
export async function writeInbound(sandbox: Sandbox, given: Json): Promise<Written | string> {
  const { network } = sandbox;
  const account = network.accounts.get(toText(given['account']) ?? '');
  if (!account) return 'There is no such account.';
  const from = toText(given['from']);
  const known = from === undefined ? undefined : findProfile(network, from);
  const other = known ?? addProfile(network, { public_identifier: from, name: given['name'] });
  const message = keepMessage(network, {
    id: toText(given['id']) ?? makeId(network, 'msg'),
    chat: openChat(network, account, other),
    text: toText(given['text']) ?? null,
    is_sender: given['is_sender'] === true,
    files: readFiles(network, toObject(given['file'])),
    quoted: toText(given['quoted']) ?? null,
    timestamp: new Date().toISOString(),
  });
  showFiles(sandbox, message);
  showMessage(sandbox, message);
  const event = { ...describeMessage('message_received', account, message), ...toObject(given['more']) };
  const status = await postEvent(sandbox, 'messaging', event);
  message.delivered = status === 200;
  showMessage(sandbox, message);
  return { id: message.id, chat: message.chat.id, status, event };
}

function readFiles(network: NetworkState, { mimetype, base64, name }: Json): StoredFile[] {
  const type = toText(mimetype);
  if (type === undefined) return [];
  const bytes = Buffer.from(toText(base64) ?? '', 'base64');
  const file_name = toText(name) ?? 'file';
  return [{ id: makeId(network, 'att'), type: nameType(type), mimetype: type, file_name, bytes }];
}
