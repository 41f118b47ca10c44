/** Builds the body of the call that sends a message. */
import type { OutboundMessage } from '../channel.ts';
import type { ContentType, MessageContent } from '../content.ts';
import { PHONE_NUMBER, type Person } from '../identity.ts';
import type { OutboundFile } from '../media.ts';
import { nameFile, nameFilesOf } from '../templates/name-files.ts';
import type { Json } from '../values.ts';

/** Returns the recipient for the network, which has one field for phone numbers and one for user ids. */
export function addressRecipient({ names: [name] }: Person): Json | null {
  if (!name) return null;
  return name.kind === PHONE_NUMBER.kind ? { to: name.address } : { recipient: name.address };
}

/** Returns null for a content that this channel does not send, or that lacks the parts of its type. */
export function buildBody(message: OutboundMessage, recipient: Json): Json | null {
  const { content, file, replyTo, messageId } = message;
  const build = builders[content.contentType];
  const part = build?.(content, file, message.cards) ?? null;
  if (part === null) return null;
  const type = content.contentType.toLowerCase();
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipient,
    type,
    [type]: part,
    ...(replyTo !== null && { context: { message_id: replyTo } }),
    biz_opaque_callback_data: messageId, // Every status contains this id, which settles an unknown outcome.
  };
}

/** Builds the part of a body that has the name of the message's type. */
type Builder = (
  message: MessageContent,
  file: OutboundFile | null,
  cards: OutboundMessage['cards'],
) => Json | unknown[] | null;

/** A content type that is missing here is one that this channel does not send. */
const builders: { [type in ContentType]?: Builder } = {
  TEXT: ({ content }) => (content === null ? null : { body: content, preview_url: /https?:\/\//i.test(content) }),
  IMAGE: (message, file) => file && { ...nameFile(file), ...captionPart(message) },
  VIDEO: (message, file) => file && { ...nameFile(file), ...captionPart(message) },
  DOCUMENT: (message, file) => file && { ...nameFile(file), ...captionPart(message), filename: file.fileName },
  AUDIO: (_message, file) => file && { ...nameFile(file), ...(file.voice && { voice: true }) },
  STICKER: (_message, file) => file && nameFile(file),
  LOCATION: ({ location }) => location && buildLocation(location),
  CONTACTS: ({ contacts }) => contacts,
  // An empty emoji removes the earlier reaction.
  REACTION: ({ reaction }) => reaction && { message_id: reaction.externalId, emoji: reaction.emoji ?? '' },
  INTERACTIVE: ({ interactive, content }) =>
    interactive?.offer
      ? { type: interactive.type, ...interactive.offer, ...(content !== null && { body: { text: content } }) }
      : null,
  TEMPLATE: ({ template }, file, cards) => template && buildTemplate(template, file, cards),
};

const captionPart = ({ content }: MessageContent): Json => (content ? { caption: content } : {});

function buildLocation({ latitude, longitude, name, address }: NonNullable<MessageContent['location']>): Json {
  return { latitude, longitude, ...(name !== null && { name }), ...(address !== null && { address }) };
}

/** The network takes no empty list of components. */
function buildTemplate(
  { name, language, components }: NonNullable<MessageContent['template']>,
  file: OutboundFile | null,
  cards: OutboundMessage['cards'],
): Json {
  const named = nameFilesOf(components, { file, cards });
  return { name, language: { code: language }, ...(named.length > 0 && { components: named }) };
}
