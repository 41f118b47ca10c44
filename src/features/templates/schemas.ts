import { Type, type Static } from 'typebox';
import { ComponentBody, MAX_COMPONENTS } from '../../channels/templates/given.ts';
import { PARAMETER_FORMATS, TEMPLATE_CATEGORIES } from '../../channels/templates/network.ts';
import { SLOT_COMPONENTS, SLOT_TYPES } from '../../channels/templates/shape.ts';
import { pageQuery, pageSchema, searchParameter } from '../../platform/store/paging.ts';
import {
  define,
  explainedPattern,
  namesRecord,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';
import { RECIPIENT } from '../messages/schemas.ts';

const open = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** A value that a template takes when it is sent. */
const TemplateParameter = define(
  'TemplateParameter',
  Type.Object({
    component: oneOf(SLOT_COMPONENTS),
    card: nullable(Type.Integer({ description: 'The card of a carousel, from 0; null outside of cards' })),
    index: nullable(Type.Integer({ description: 'The position of a button, from 0; null for other components' })),
    sub_type: nullable(
      Type.String({ description: 'The kind of the button: QUICK_REPLY, URL, COPY_CODE, FLOW, CATALOG' }),
    ),
    name: nullable(Type.String({ description: 'The name of the variable, where the template has named ones' })),
    position: Type.Integer({ description: 'The position among the parameters of the component, from 1' }),
    type: oneOf(SLOT_TYPES, { description: 'What it takes. For a TEXT of the body also an amount or a date' }),
    required: Type.Boolean(),
    example: nullable(Type.String({ description: 'The example that was given for the review' })),
  }),
);

export const Template = define(
  'Template',
  Type.Object({
    _id: recordId('template'),
    company: recordId('company'),
    name: Type.String(),
    language: Type.String({ description: "The network's code of the language: pt_BR" }),
    category: Type.String({ description: 'MARKETING, UTILITY or AUTHENTICATION' }),
    status: Type.String({
      description:
        "The network's own word: APPROVED, PENDING, REJECTED, PAUSED, DISABLED, IN_APPEAL, PENDING_DELETION, ARCHIVED and others. Only APPROVED can be sent",
    }),
    quality: nullable(Type.String({ description: "The network's rating: GREEN, YELLOW, RED or UNKNOWN" })),
    parameter_format: oneOf(PARAMETER_FORMATS),
    components: Type.Array(open, {
      description: 'As the network shows them: HEADER, BODY, FOOTER, BUTTONS and others',
    }),
    parameters: Type.Array(ref(TemplateParameter), { description: 'The values that it takes when it is sent' }),
    unsupported: nullable(
      Type.String({ description: 'What it contains that the platform can not send; null when it can be sent' }),
    ),
    network_id: nullable(Type.String({ description: "The network's id" })),
    rejected_reason: nullable(Type.String({ description: 'Why the review refused it' })),
    fetched_at: Type.String({ ...Timestamp, description: 'When the network last described it' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Template = Static<typeof Template>;

export const TemplateList = Type.Object({
  ...pageSchema(ref(Template)).properties,
  catalogue: Type.Object(
    {
      fetched_at: nullable(Timestamp),
      error: nullable(Type.String({ description: 'Why the last try to read the templates failed' })),
    },
    {
      description:
        "The platform's copy of the account's templates: when it was last made, null before the first time. With an error the templates are those of that time",
    },
  ),
});

/** Names and languages become part of requests to the network, which has the same limits. */
const name = Type.String({
  minLength: 1,
  maxLength: 512,
  ...explainedPattern('^[a-z0-9_]+$', 'must have only letters from a to z, digits and underscores'),
});
const language = Type.String({
  maxLength: 20,
  ...explainedPattern('^[a-z]{2,3}(_[A-Z]{2,3})?$', 'must be a language of the network, such as pt_BR or en'),
  description: "The network's code of a language: pt_BR",
});

export const TemplateQuery = pageQuery('-createdAt', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'The whole name' })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
  category: Type.Optional(oneOf(TEMPLATE_CATEGORIES)),
  status: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'APPROVED, PAUSED, …' })),
  search: searchParameter('A part of the name or of the texts, whatever its case and accents'),
});
export type TemplateQuery = Static<typeof TemplateQuery>;

export const InboxParams = Type.Object({ id: recordId('inbox') });
export const TemplateParams = Type.Object({
  id: recordId('inbox'),
  name: Type.String({ minLength: 1, maxLength: 512, ...namesRecord('template') }),
});

const example = Type.Optional(
  Type.Unsafe<unknown>({
    type: ['array', 'object', 'string'],
    description: 'Sample values for the variables or the header, which the network wants to see for its review',
  }),
);
const label = Type.String({ minLength: 1, maxLength: 25 });
const word = Type.String({ minLength: 1, maxLength: 2_000 });
const flag = Type.Optional(Type.Boolean());

const button = strict({
  type: oneOf([
    'QUICK_REPLY',
    'URL',
    'PHONE_NUMBER',
    'COPY_CODE',
    'OTP',
    'FLOW',
    'CATALOG',
    'VOICE_CALL',
    'MPM',
    'SPM',
  ]),
  text: Type.Optional(label),
  url: Type.Optional(word),
  phone_number: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
  example,
  otp_type: Type.Optional(oneOf(['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'])),
  autofill_text: Type.Optional(label),
  package_name: Type.Optional(word),
  signature_hash: Type.Optional(word),
  supported_apps: Type.Optional(
    Type.Array(strict({ package_name: word, signature_hash: word }), { minItems: 1, maxItems: 5 }),
  ),
  zero_tap_terms_accepted: flag,
  flow_id: Type.Optional(word),
  flow_name: Type.Optional(word),
  flow_json: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536 })),
  flow_action: Type.Optional(oneOf(['navigate', 'data_exchange'])),
  navigate_screen: Type.Optional(word),
});

const plainComponent = {
  format: Type.Optional(oneOf(['TEXT', 'IMAGE', 'VIDEO', 'GIF', 'DOCUMENT', 'LOCATION', 'PRODUCT'])),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
  example,
  buttons: Type.Optional(Type.Array(button, { minItems: 1, maxItems: 10 })),
};

const cardComponent = strict({ type: oneOf(['HEADER', 'BODY', 'BUTTONS']), ...plainComponent });

const component = strict({
  type: oneOf(['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']),
  ...plainComponent,
  cards: Type.Optional(
    Type.Array(strict({ components: Type.Array(cardComponent, { minItems: 1, maxItems: 3 }) }), {
      minItems: 1,
      maxItems: 10,
    }),
  ),
  limited_time_offer: Type.Optional(
    strict({ text: Type.String({ minLength: 1, maxLength: 16 }), has_expiration: Type.Optional(Type.Boolean()) }),
  ),
  add_security_recommendation: flag,
  code_expiration_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
});
export type DraftComponent = Static<typeof component>;

export const TemplateCreate = define(
  'TemplateCreate',
  strict({
    name,
    language,
    category: oneOf(TEMPLATE_CATEGORIES),
    parameter_format: Type.Optional(
      oneOf(PARAMETER_FORMATS, { description: 'By default NAMED if a variable has a name, else POSITIONAL' }),
    ),
    components: Type.Array(component, { minItems: 1, maxItems: 6 }),
  }),
);
export type TemplateCreate = Static<typeof TemplateCreate>;

export const TemplatesRemoved = define(
  'TemplatesRemoved',
  Type.Object({
    _id: recordId('template', { description: 'The first of the removed ones; the audit names the removal by it' }),
    name: Type.String(),
    removed: Type.Array(ref(Template), { description: 'The template in each of its languages' }),
  }),
);
export type TemplatesRemoved = Static<typeof TemplatesRemoved>;

const TemplateComponent = define('TemplateComponent', ComponentBody);

export const GivenTemplate = define(
  'GivenTemplate',
  strict(
    {
      name: Type.String({ minLength: 1, maxLength: 512 }),
      language: Type.String({ minLength: 1, maxLength: 20, description: 'A language that the template has: pt_BR' }),
      components: Type.Optional(
        Type.Array(ref(TemplateComponent), {
          maxItems: MAX_COMPONENTS,
          description:
            'The values that it takes; GET /v1/inboxes/{id}/templates shows them as `parameters`. A parameter with `variable_ref` takes its value from each contact',
        }),
      ),
    },
    { description: 'A template to be sent, with its values' },
  ),
);
export type GivenTemplate = Static<typeof GivenTemplate>;

export const SendTemplate = define(
  'SendTemplate',
  strict({
    ...RECIPIENT,
    message: strict({
      contentType: Type.Optional(oneOf(['TEMPLATE'])),
      template: ref(GivenTemplate),
    }),
    replyTo: Type.Optional(nullable(recordId('message', { description: 'The message that it answers' }))),
  }),
);
export type SendTemplate = Static<typeof SendTemplate>;
