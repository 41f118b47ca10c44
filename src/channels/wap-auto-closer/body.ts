/** Builds the body of the call that sends a message. */
import type { OutboundMessage } from '../channel.ts';
import type { ContentType, MessageContent } from '../content.ts';
import { PHONE_NUMBER, type Person } from '../identity.ts';
import type { OutboundFile } from '../media.ts';
import { getOwnProperty } from '../../platform/own-property.ts';
import { asList, asRecord, asText, type Json } from '../values.ts';

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

const nameFile = ({ networkId, url }: OutboundFile): Json => (networkId === null ? { link: url } : { id: networkId });

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
  const named = components.map((component) => {
    if (component['type'] === 'carousel' && cards) return nameCardFiles(component, cards);
    return file ? nameHeaderFile(component, file) : component;
  });
  return { name, language: { code: language }, ...(named.length > 0 && { components: named }) };
}

/** The stored header names an attachment of the company, which the network knows by another id. */
function nameHeaderFile(component: Json, file: OutboundFile): Json {
  const [parameter] = asList(component.parameters).map(asRecord);
  if (component.type !== 'header' || !parameter) return component;
  const kind = String(parameter.type);
  const { filename } = asRecord(getOwnProperty(parameter, kind)) ?? {};
  const media = { ...nameFile(file), ...(kind === 'document' && { filename: filename ?? file.fileName }) };
  return { ...component, parameters: [{ ...parameter, [kind]: media }] };
}

/** Each card names its own attachment, if any. */
function nameCardFiles(carousel: Json, files: NonNullable<OutboundMessage['cards']>): Json {
  const cards = asList(carousel.cards).map((card) => {
    const components = asList(asRecord(card)?.components).map((component) => {
      const header = asRecord(component);
      const file = header && files.get(readMediaId(header));
      return file ? nameHeaderFile(header, file) : component;
    });
    return { ...asRecord(card), components };
  });
  return { ...carousel, cards };
}

/** Returns the id of the file that a component shows, or '' when it shows none. */
function readMediaId(component: Json): string {
  const parameter = asRecord(asList(component.parameters)[0]) ?? {};
  return asText(asRecord(getOwnProperty(parameter, String(parameter.type)))?.id) ?? '';
}
