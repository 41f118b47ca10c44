/** What a caller gives a template to fill it in: components with parameters, as the API spells them. */
import { Type, type Static } from 'typebox';
import { explainedPattern, namesRecord, oneOf, strict, plain, webAddress } from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The longest text of a variable: the network's limit for a template that is only a body.
const MAX_TEXT = declareLimit(32_768, {
  topic: 'Campaigns',
  what: 'Template: text parameter',
  unit: 'characters',
  beyond: '400',
});
const MAX_WORD = declareLimit(2_000, {
  topic: 'Campaigns',
  what: 'Template: other parameter',
  unit: 'characters',
  beyond: '400',
});

const link = webAddress('The address from which the network fetches the file');
const mediaId = Type.String({
  minLength: 1,
  maxLength: 64,
  ...namesRecord('attachment'),
  description:
    "The `_id` of an attachment of the company, which is uploaded to the network, or the file's id at the network; either id or link",
});
const filename = Type.String({ minLength: 1, maxLength: 240, description: 'The file name that the contact sees' });
const optional = Type.Optional;

/** The names of kinds of parameters that the network uses itself. They may be given and must then fit. */
const PARAMETER_TYPES = [
  'text',
  'currency',
  'date_time',
  'image',
  'video',
  'document',
  'location',
  'payload',
  'coupon_code',
  'action',
  'limited_time_offer',
] as const;

export const ParameterBody = strict({
  type: optional(oneOf(PARAMETER_TYPES, "The network's name for it; only checked")),
  parameter_name: optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The variable, in a template with named variables' }),
  ),
  variable_ref: optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'A value of the recipient: contact.name, contact.first_name, contact.email and so on, ' +
        "custom_fields.<slug>, or column.<title> of a sheet. Without a prefix, the first of column, contact's " +
        "field and custom field. If the recipient has no value, the parameter's `text` or `value` is sent",
    }),
  ),
  text: optional(Type.String({ minLength: 1, maxLength: MAX_TEXT, description: 'A text of the template' })),
  value: optional(
    Type.Unsafe<string | number>({
      type: ['number', 'string'],
      minLength: 1,
      maxLength: MAX_TEXT,
      description: 'A text, link, code or amount, as the template requires in this place',
    }),
  ),
  link: optional(link),
  image: optional(plain.strict('The image of a header', { link: optional(link), id: optional(mediaId) })),
  imageUrl: optional(link),
  imageId: optional(mediaId),
  document: optional(
    plain.strict('The document of a header', {
      link: optional(link),
      id: optional(mediaId),
      filename: optional(filename),
    }),
  ),
  documentUrl: optional(link),
  documentFilename: optional(filename),
  video: optional(plain.strict('The video of a header', { link: optional(link), id: optional(mediaId) })),
  videoUrl: optional(link),
  location: optional(
    plain.strict('A place', {
      latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north' }),
      longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east' }),
      name: optional(Type.String({ minLength: 1, maxLength: 1_000, description: 'The name of the place' })),
      address: optional(Type.String({ minLength: 1, maxLength: 1_000, description: 'The address of the place' })),
    }),
  ),
  currencyCode: optional(Type.String({ minLength: 3, maxLength: 3, description: 'ISO 4217: BRL' })),
  currencyAmount: optional(Type.Number({ description: 'In units of the currency, with at most three decimals' })),
  dateTime: optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'A date as the contact reads it. A date such as 2026-02-25, or a time such as 2026-02-25T18:00:00Z, is ' +
        "formatted in the template's language and the company's time zone. For a limited-time offer, the time of " +
        'its end',
    }),
  ),
  payload: optional(
    Type.String({ minLength: 1, maxLength: MAX_WORD, description: 'The payload that a press of the button reports' }),
  ),
  flow_action_data: optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      maxProperties: 100,
      description: "The data of a flow's first screen, with or without its token; 8,192 characters of JSON",
    }),
  ),
});
export type GivenParameter = Static<typeof ParameterBody>;

export const ComponentBody = strict({
  type: optional(
    oneOf(['header', 'body', 'button', 'limited_time_offer'], 'By default body, or button if index is given'),
  ),
  sub_type: optional(
    oneOf(
      ['quick_reply', 'url', 'copy_code', 'flow', 'catalog'],
      'The kind of button; only checked, because the template defines it',
    ),
  ),
  index: optional(
    Type.Unsafe<string | number>({
      type: ['integer', 'string'],
      minimum: 0,
      maximum: 9,
      ...explainedPattern('^[0-9]$', 'must be a number from 0 to 9'),
      description: 'The position of a button, from 0',
    }),
  ),
  card: optional(Type.Integer({ minimum: 0, maximum: 9, description: 'The card of a carousel, from 0' })),
  parameters: Type.Array(ParameterBody, { maxItems: 100, description: 'As many as the component needs, in order' }),
});
export type GivenComponent = Static<typeof ComponentBody>;

/** The most components of one template: a carousel of ten cards, each with a header, a body and two buttons, and its message. */
export const MAX_COMPONENTS = declareLimit(64, {
  topic: 'Campaigns',
  what: 'Template: components with parameters',
  beyond: '400',
});

/** A fault in a request. The path begins at the list of components: `[0].parameters[1].text`. */
export interface Fault {
  path: string;
  code: string;
  message: string;
}
