/** The settings of a web chat as the visitor API reads them: how it looks on a site, who may show it, and what visitors are asked. */
import { Type, type Static } from 'typebox';
import {
  explainedPattern,
  NOT_BLANK,
  nullable,
  oneOf,
  SLUG,
  strict,
  webAddress,
  plain,
} from '../platform/values/schema.ts';
import { OfficeHours } from './office-hours.ts';

const shortText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description });

const Question = strict({
  kind: oneOf(['NAME', 'EMAIL', 'CUSTOM_FIELD'], 'The requested information'),
  slug: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, ...SLUG, description: 'With CUSTOM_FIELD: a custom field of contacts' }),
  ),
  required: plain.flag(
    'Whether the answer is required to start the chat; visitors identified by the site can leave it out',
  ),
});

export const WEB_PROPERTIES = {
  allowed_origins: Type.Array(
    Type.String({
      maxLength: 300,
      ...explainedPattern(
        '^https?://(\\*\\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$',
        'must be the address of a site without a path, such as https://shop.example or https://*.shop.example',
      ),
    }),
    {
      maxItems: 50,
      uniqueItems: true,
      description: 'The sites that may show the chat; empty: only pages of the platform',
    },
  ),
  color: Type.String({
    ...explainedPattern('^#[0-9a-f]{6}$', 'must be a colour such as #2563eb'),
    description: 'The colour of the launcher and of the header',
  }),
  position: oneOf(['LEFT', 'RIGHT'], 'The corner of the page where the launcher is'),
  title: nullable(shortText(80, 'The heading; null: the name of the inbox')),
  avatar_url: nullable(webAddress('The address of a picture')),
  welcome_text: nullable(shortText(1_000, 'The first text that a new visitor sees')),
  quick_replies: Type.Array(shortText(80, 'A text that a visitor can send with one click'), {
    maxItems: 5,
    uniqueItems: true,
    description: 'Texts that a new visitor can send with one click',
  }),
  language: nullable(oneOf(['pt-BR', 'en', 'es'], "null: the browser's language")),
  office_hours: nullable(OfficeHours),
  questions: Type.Array(Question, {
    maxItems: 10,
    description:
      'Questions that a new visitor answers before writing. The answers are stored with the first text or file',
  }),
  identity_required: plain.flag('Only visitors identified by the site can chat'),
  show_operator_names: plain.flag('Visitors see the names of the users who reply'),
};

/** As stored and shown; the secret is masked in answers. */
export const WebConfig = plain.object('Settings of the channel WEB_V2', {
  ...WEB_PROPERTIES,
  identity_secret: nullable(plain.text('Masked')),
});
export type WebConfig = Static<typeof WebConfig>;
export type WebQuestion = Static<typeof Question>;
