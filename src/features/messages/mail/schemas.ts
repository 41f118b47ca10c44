/** What a message has that is a mail, and what a request can choose for one. */
import { Type, type Static } from 'typebox';
import { declareLimit } from '../../../platform/values/limits.ts';
import { explainedPattern, nullable, plain } from '../../../platform/values/schema.ts';
import { Email } from '../../users/schemas.ts';

export const MailAuthor = plain.object('The author of a received mail who is not the contact, such as a person in Cc', {
  address: plain.text("The author's address"),
  name: nullable(plain.text("The author's name")),
});

export const MailRecord = plain.object(
  'For the first message of a received mail: its subject, and at most ten recipients of each kind. For a sent mail: what the request gave in `email`; otherwise null',
  {
    from: Type.Optional(MailAuthor),
    subject: nullable(plain.text('The subject of the mail')),
    to: Type.Array(Type.String(), { description: 'The addresses of the recipients' }),
    cc: Type.Array(Type.String(), { description: 'The addresses of the Cc recipients' }),
    bcc: Type.Optional(
      Type.Array(Type.String(), { description: 'For a sent mail: the addresses of the Bcc recipients' }),
    ),
    reply_to: Type.Array(Type.String(), { description: 'Where replies go; empty if to the sender' }),
    is_shortened: plain.flag(
      'Whether `content` omits quoted mails, a signature or the rest of a long mail; `GET /v1/messages/{id}/body` returns the full text',
    ),
  },
);

const MAX_COPIES = declareLimit(10, {
  topic: 'E-mail',
  what: 'Sent e-mail: addresses in each of To, Cc and Bcc',
  beyond: '400',
});
const addresses = (description: string) =>
  Type.Optional(Type.Array(Email, { maxItems: MAX_COPIES, uniqueItems: true, description }));

/** The field of a request's body that sends a mail. */
export const email = Type.Optional(
  nullable(
    plain.strict('Only for EMAIL: the subject and the recipients of the mail', {
      subject: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: declareLimit(255, {
              topic: 'E-mail',
              what: 'Sent e-mail: subject in `email`',
              unit: 'characters',
              beyond: '400',
            }),
            ...explainedPattern(
              String.raw`^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$`,
              'must be one line with more than spaces',
            ),
            description:
              'The subject. Without one, a reply uses the subject of its thread, and a first mail its first line',
          }),
        ),
      ),
      to: addresses('The recipients. Without any, the mail goes to the contact, or where the last mail wants replies'),
      cc: addresses('Cc: further recipients, visible to all recipients'),
      bcc: addresses('Bcc: further recipients, hidden from the others'),
    }),
  ),
);

/** The subject and the recipients of a mail, as a request gives them. */
export type GivenMail = Static<typeof email> | undefined;
