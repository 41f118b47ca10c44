/** Sends places, contact cards, reactions and offers to choose from. They have no file, and are written in a form that suits every network. */
import { Type, type Static } from 'typebox';
import { makeInteractiveOffer, type ContentOf, type MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import {
  define,
  NOT_BLANK,
  nullable,
  oneOf,
  plain,
  recordId,
  strict,
  webAddress,
} from '../../platform/values/schema.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { findMessage } from './queries.ts';
import { readRecipient } from './recipients.ts';
import { MAX_TEXT, RECIPIENT, type Message } from './schemas.ts';
import { sendMessage } from './send.ts';

const text = (description: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description });
const { Optional } = Type;

const place = plain.strict('For LOCATION: the place', {
  latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north' }),
  longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east' }),
  name: Optional(text('The name of the place', 1_000)),
  address: Optional(text('The address of the place', 1_000)),
});

const card = strict({
  name: text('The full name', 200),
  phone: text('The phone number, as the contact sees it', 40),
  organization: Optional(text('The company', 200)),
  email: Optional(text('The e-mail address', 254)),
  url: Optional(text('The web address', 2_000)),
});

const choice = {
  id: text('Returned when the contact chooses it', 200),
  title: text('The text that the contact sees', 24),
};

const offer = plain.strict('For INTERACTIVE: what the contact can choose; either `buttons`, `link` or `list`', {
  header: Optional(text('The line above the text', 60)),
  footer: Optional(text('The line below the text', 60)),
  buttons: Optional(Type.Array(strict(choice), { minItems: 1, maxItems: 3, description: 'Up to three buttons' })),
  link: Optional(
    plain.strict('A button that opens an address', {
      title: text('The text of the button', 20),
      url: webAddress('The address'),
    }),
  ),
  list: Optional(
    plain.strict('A menu', {
      button: text('The text of the button that opens the menu', 20),
      sections: Type.Array(
        strict({
          title: text('The heading', 24),
          rows: Type.Array(strict({ ...choice, description: Optional(text('The line below the title', 72)) }), {
            minItems: 1,
            maxItems: 10,
            description: 'The choices',
          }),
        }),
        { minItems: 1, maxItems: 10, description: 'The groups of choices' },
      ),
    }),
  ),
});

export const SendContent = define(
  'SendContent',
  strict({
    ...RECIPIENT,
    message: plain.strict('The message to send, with the part of its `contentType`', {
      contentType: oneOf(['LOCATION', 'CONTACTS', 'REACTION', 'INTERACTIVE'], 'The kind of content'),
      content: Optional(text('For INTERACTIVE: the text', MAX_TEXT)),
      location: Optional(place),
      contacts: Optional(
        Type.Array(card, { minItems: 1, maxItems: 10, description: 'For CONTACTS: the contact cards' }),
      ),
      reaction: Optional(
        plain.strict('For REACTION: the reaction to a message of the conversation', {
          message: recordId('message'),
          emoji: nullable(text('One emoji; null removes the reaction', 32)),
        }),
      ),
      interactive: Optional(offer),
    }),
    replyTo: Optional(nullable(recordId('message', 'The message that it replies to'))),
  }),
);
export type SendContent = Static<typeof SendContent>;
type Given = SendContent['message'];

export async function sendContent(
  kit: Kit,
  acting: Acting,
  { message, replyTo = null, ...given }: SendContent,
): Promise<Message> {
  const recipient = readRecipient(given);
  const content = await readContent(acting, message);
  // A reaction is shown at the message that it is about.
  const target = message.contentType === 'REACTION' ? message.reaction?.message : replyTo;
  return sendMessage(kit, acting, recipient, { content, attachment: null, replyTo: target ?? null });
}

function expectPart<T>(part: T | undefined, name: keyof Given): T {
  if (part === undefined) throw invalid(`message.${name}`, 'is required by the contentType', 'REQUIRED');
  return part;
}

async function readContent(acting: Acting, message: Given): Promise<MessageContent> {
  const { contentType } = message;
  switch (contentType) {
    case 'LOCATION': {
      const { name = null, address = null, ...at } = expectPart(message.location, 'location');
      return { contentType, location: { ...at, name, address, url: null } };
    }
    case 'CONTACTS':
      return { contentType, contacts: expectPart(message.contacts, 'contacts').map(writeCard) };
    case 'REACTION':
      return { contentType, reaction: await readReaction(acting, expectPart(message.reaction, 'reaction')) };
    case 'INTERACTIVE':
      return {
        contentType,
        content: expectPart(message.content, 'content'),
        interactive: writeOffer(expectPart(message.interactive, 'interactive')),
      };
  }
}

/** Writes a card in the form in which networks deliver them. */
const writeCard = ({ name, phone, organization, email, url }: Static<typeof card>): Record<string, unknown> => ({
  name: { formatted_name: name, first_name: name },
  phones: [{ phone, wa_id: phone.replaceAll(/\D/g, ''), type: 'CELL' }],
  ...(organization !== undefined && { org: { company: organization } }),
  ...(email !== undefined && { emails: [{ email, type: 'WORK' }] }),
  ...(url !== undefined && { urls: [{ url, type: 'WORK' }] }),
});

async function readReaction(
  { read }: Acting,
  { message, emoji }: NonNullable<Given['reaction']>,
): Promise<ContentOf<'REACTION'>['reaction']> {
  const target = await findMessage(read, message);
  if (!target) throw unknownReference('message.reaction.message');
  if (target.external_id === null) throw invalid('message.reaction.message', 'is not known to the network');
  return { externalId: target.external_id, emoji };
}

function writeOffer({
  header,
  footer,
  buttons,
  link,
  list,
}: Static<typeof offer>): ContentOf<'INTERACTIVE'>['interactive'] {
  const path = 'message.interactive';
  if ([buttons, link, list].filter(Boolean).length !== 1) throw invalid(path, 'must have either buttons, link or list');
  const around = {
    ...(header !== undefined && { header: { type: 'text', text: header } }),
    ...(footer !== undefined && { footer: { text: footer } }),
  };
  if (buttons) {
    const replies = buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }));
    return makeInteractiveOffer('button', { ...around, action: { buttons: replies } });
  }
  if (link) {
    const parameters = { display_text: link.title, url: link.url };
    return makeInteractiveOffer('cta_url', { ...around, action: { name: 'cta_url', parameters } });
  }
  return makeInteractiveOffer('list', { ...around, action: { ...list } });
}
