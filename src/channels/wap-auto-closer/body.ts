/** Builds the body of the call that sends a message. */
import type { OutboundMessage } from '../channel.ts';
import type { ContentOf } from '../content.ts';
import { PHONE_NUMBER, type Person } from '../identity.ts';
import { nameFile, nameFilesOf } from '../templates/name-files.ts';
import type { Json } from '../values.ts';

/** Returns the recipient for the network, which has one field for phone numbers and one for user ids. */
export function addressRecipient({ names: [name] }: Person): Json | null {
  if (!name) return null;
  return name.kind === PHONE_NUMBER.kind ? { to: name.address } : { recipient: name.address };
}

/** Returns null for a content that this channel does not send, or that lacks the parts of its type. */
export function buildBody(message: OutboundMessage, recipient: Json): Json | null {
  const part = buildPart(message);
  if (part === null) return null;
  const { content, replyTo, messageId } = message;
  const type = content.contentType.toLowerCase();
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipient,
    type,
    [type]: part,
    // A reaction names its message itself.
    ...(replyTo !== null && content.contentType !== 'REACTION' && { context: { message_id: replyTo } }),
    biz_opaque_callback_data: messageId, // Every status contains this id, which settles an unknown outcome.
  };
}

/** Builds the part of a body that has the name of the message's type. */
function buildPart(message: OutboundMessage): Json | unknown[] | null {
  const { content, file } = message;
  switch (content.contentType) {
    case 'TEXT':
      return content.content === null
        ? null
        : { body: content.content, preview_url: /https?:\/\//i.test(content.content) };
    case 'IMAGE':
    case 'VIDEO':
      return file && { ...nameFile(file), ...captionPart(content) };
    case 'DOCUMENT':
      return file && { ...nameFile(file), ...captionPart(content), filename: file.fileName };
    case 'AUDIO':
      return file && { ...nameFile(file), ...(file.voice && { voice: true }) };
    case 'STICKER':
      return file && nameFile(file);
    case 'LOCATION':
      return buildLocation(content.location);
    case 'CONTACTS':
      return content.contacts;
    // An empty emoji removes the earlier reaction.
    case 'REACTION':
      return { message_id: content.reaction.externalId, emoji: content.reaction.emoji ?? '' };
    case 'INTERACTIVE':
      return buildOffer(content);
    case 'TEMPLATE':
      return buildTemplate(content, message);
    case 'UNSUPPORTED':
      return null;
  }
}

const captionPart = ({ content }: ContentOf<'IMAGE'>): Json => (content ? { caption: content } : {});

const buildLocation = ({ latitude, longitude, name, address }: ContentOf<'LOCATION'>['location']): Json => ({
  latitude,
  longitude,
  ...(name !== null && { name }),
  ...(address !== null && { address }),
});

function buildOffer({ content, interactive }: ContentOf<'INTERACTIVE'>): Json | null {
  if (!('offer' in interactive)) return null;
  return { type: interactive.type, ...interactive.offer, ...(content && { body: { text: content } }) };
}

/** The network takes no empty list of components. */
function buildTemplate({ template }: ContentOf<'TEMPLATE'>, message: OutboundMessage): Json | null {
  if (!template) return null;
  const { name, language, components } = template;
  const named = nameFilesOf(components, message);
  return { name, language: { code: language }, ...(named.length > 0 && { components: named }) };
}
