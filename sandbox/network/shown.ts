/** Shows messages of the professional network on the phone page. */
import type { Json } from '../exchange.ts';
import { sortFile, storeForPage } from '../phone/file.ts';
import { publishItem, type PhoneItem } from '../phone/phone.ts';
import type { Sandbox } from '../state.ts';
import type { Profile, StoredMessage } from './state.ts';

/** The name by which the page knows a person. */
export const nameForPage = ({ public_identifier, provider_id }: Profile): string => public_identifier ?? provider_id;

export function toItem(message: StoredMessage): PhoneItem {
  const { id, text, files, quoted, is_sender, progress: status, delivered, read, timestamp } = message;
  const context = quoted === null ? {} : { context: { id: quoted } };
  const base = { id, message: { ...describeContent(text, files), ...context }, created_at: timestamp };
  return is_sender ? { ...base, direction: 'in', status } : { ...base, direction: 'out', delivered, read };
}

/** The page shows the first file with the text; the network's own page sends one at a time. */
function describeContent(text: string | null, [file]: StoredMessage['files']): Json {
  if (!file) return { type: 'text', text: { body: text ?? '' } };
  const { mimetype, file_name, media_id } = file;
  const type = sortFile(mimetype);
  return { type, [type]: { id: media_id, mime_type: mimetype, filename: file_name, ...(text && { caption: text }) } };
}

/** A reaction has no id of its own at this network, so it is named after its message. */
export const toReaction = ({ id, reaction, timestamp }: StoredMessage): PhoneItem => ({
  id: `reaction-${id}`,
  direction: 'out',
  message: { type: 'reaction', reaction: { message_id: id, emoji: reaction ?? '' } },
  delivered: true,
  created_at: timestamp,
});

/** Shows a new or changed message on the pages. */
export function showMessage(sandbox: Sandbox, message: StoredMessage): void {
  publishItem(sandbox, findPlace(message), () => toItem(message));
}

export function showReaction(sandbox: Sandbox, message: StoredMessage): void {
  publishItem(sandbox, findPlace(message), () => toReaction(message));
}

const findPlace = ({ chat }: StoredMessage) => ({
  network: 'linkedin',
  account: chat.account_id,
  contact: nameForPage(chat.other),
});

/** Gives the page the files of a message. */
export function showFiles(sandbox: Sandbox, { files }: StoredMessage): void {
  for (const file of files) file.media_id = storeForPage(sandbox, file);
}
