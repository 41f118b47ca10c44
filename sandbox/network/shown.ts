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
export function toReactions({ id, reaction, ownReaction, timestamp }: StoredMessage): PhoneItem[] {
  const write = (emoji: string) => ({ type: 'reaction', reaction: { message_id: id, emoji } });
  const base = { delivered: true, created_at: timestamp };
  return [
    ...(reaction === undefined
      ? []
      : [{ ...base, id: `reaction-${id}`, direction: 'out' as const, message: write(reaction) }]),
    ...(ownReaction === undefined
      ? []
      : [{ ...base, id: `own-reaction-${id}`, direction: 'in' as const, message: write(ownReaction) }]),
  ];
}

/** Shows a new or changed message on the pages. */
export function showMessage(sandbox: Sandbox, message: StoredMessage): void {
  publishItem(sandbox, findPlace(message), () => toItem(message));
}

export function showReactions(sandbox: Sandbox, message: StoredMessage): void {
  for (const item of toReactions(message)) publishItem(sandbox, findPlace(message), () => item);
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
