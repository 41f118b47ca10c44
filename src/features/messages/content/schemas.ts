import { Type, type Static } from 'typebox';
import {
  define,
  NOT_BLANK,
  nullable,
  oneOf,
  plain,
  recordId,
  strict,
  webAddress,
} from '../../../platform/values/schema.ts';
import { MAX_TEXT, RECIPIENT } from '../schemas.ts';

const text = (description: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description });
const { Optional } = Type;

const place = plain.strict('For LOCATION: the place', {
  latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north' }),
  longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east' }),
  name: Optional(text('The name of the place', 1_000)),
  address: Optional(text('The address of the place', 1_000)),
});

export const ContactCard = strict({
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

export const Offer = plain.strict('For INTERACTIVE: what the contact can choose; either `buttons`, `link` or `list`', {
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
        Type.Array(ContactCard, { minItems: 1, maxItems: 10, description: 'For CONTACTS: the contact cards' }),
      ),
      reaction: Optional(
        plain.strict('For REACTION: the reaction to a message of the conversation', {
          message: recordId('message'),
          emoji: Optional(nullable(text('One emoji; without one, the reaction is removed', 32))),
        }),
      ),
      interactive: Optional(Offer),
    }),
    replyTo: Optional(nullable(recordId('message', 'The message that it replies to'))),
  }),
);
export type SendContent = Static<typeof SendContent>;
export type ContactCard = Static<typeof ContactCard>;
export type Offer = Static<typeof Offer>;
