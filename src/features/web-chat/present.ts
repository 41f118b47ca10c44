/** Turns messages into what their visitor may see of them. */
import type { TenantRead } from '../../platform/store/tenant.ts';
import { readMessages } from '../messages/messages.ts';
import type { Message } from '../messages/schemas.ts';
import { listButtons } from './buttons.ts';
import type { Site } from './sites.ts';
import type { Shown } from './queries.ts';
import type { WebMessage } from './schemas.ts';

/** The network's id of a message that a visitor wrote: the visitor's own id of it, made unique in the inbox. */
export const toExternalId = (writer: string, clientId: string): string => `${writer}:${clientId.toLowerCase()}`;

const UUID = /:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const AUTHORS = { CONTACT: 'VISITOR', USER: 'OPERATOR', AGENT: 'AGENT', SYSTEM: 'SYSTEM' } as const;

/** A message as the company sees it, and what its visitor sees of the author. */
export type NamedMessage = Message & Shown;

/** Reads the messages, the oldest first. */
export async function readShown(read: TenantRead, shown: Shown[]): Promise<NamedMessage[]> {
  const authors = new Map(shown.map((each) => [each._id, each]));
  const messages = shown.length > 0 ? await readMessages(read, [...authors.keys()]) : [];
  return messages.flatMap((message) => nameAuthor(message, authors));
}

/** Returns the message with its author; nothing for one that its visitor may not see. */
export function nameAuthor(message: Message, authors: ReadonlyMap<string, Shown>): NamedMessage[] {
  const author = authors.get(message._id);
  return author ? [{ ...message, ...author }] : [];
}

export function toWebMessage({ config }: Pick<Site, 'config'>, row: NamedMessage): WebMessage {
  const { _id, contentType, content, media, location, reply_to, status, createdAt } = row;
  const isRevoked = row.revoked_at !== null;
  return {
    _id,
    client_id: (row.sender_type === 'CONTACT' && UUID.exec(row.external_id ?? '')?.[1]) || null,
    author: { kind: AUTHORS[row.sender_type], ...(config.show_operator_names ? describeAuthor(row) : NOBODY) },
    contentType,
    content: isRevoked ? null : content,
    media: isRevoked
      ? null
      : media && { url: media.url, mimeType: media.mimeType, fileName: media.fileName, size: media.size },
    location: location && {
      latitude: location.latitude,
      longitude: location.longitude,
      name: location.name,
      address: location.address,
    },
    buttons: listButtons(row).map(({ id, title }) => ({ id, title })),
    reply_to,
    status,
    is_revoked: isRevoked,
    createdAt,
  };
}

const NOBODY = { name: null, avatar_url: null };

const describeAuthor = ({ author_name: name, author_avatar_url: avatar_url }: Shown) => ({ name, avatar_url });
