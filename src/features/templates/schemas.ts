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
  plain,
} from '../../platform/values/schema.ts';
import { RECIPIENT } from '../messages/schemas.ts';

const open = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** A value that a template takes when it is sent. */
const TemplateParameter = define(
  'TemplateParameter',
  Type.Object({
    component: oneOf(SLOT_COMPONENTS, 'Which part of the template it is'),
    card: nullable(plain.integer('The card of a carousel, from 0; null outside of cards')),
    index: nullable(plain.integer('The position of a button, from 0; null for other components')),
    sub_type: nullable(plain.text('The kind of the button: QUICK_REPLY, URL, COPY_CODE, FLOW, CATALOG')),
    name: nullable(plain.text('The name of the variable, where the template has named ones')),
    position: plain.integer('The position among the parameters of the component, from 1'),
    type: oneOf(SLOT_TYPES, 'What it takes. For a TEXT of the body also an amount or a date'),
    required: plain.flag('Whether a message needs a value here'),
    example: nullable(plain.text('The example that was given for the review')),
  }),
);

export const Template = define(
  'Template',
  Type.Object({
    _id: recordId('template'),
    company: recordId('company'),
    name: plain.name,
    language: plain.text("The network's code of the language: pt_BR"),
    category: plain.text('MARKETING, UTILITY or AUTHENTICATION'),
    status: plain.text(
      "The network's own word: APPROVED, PENDING, REJECTED, PAUSED, DISABLED, IN_APPEAL, PENDING_DELETION, ARCHIVED and others. Only APPROVED can be sent",
    ),
    quality: nullable(plain.text("The network's rating: GREEN, YELLOW, RED or UNKNOWN")),
    parameter_format: oneOf(
      PARAMETER_FORMATS,
      'Whether the variables are numbered, {{1}}, or have names, {{first_name}}',
    ),
    components: Type.Array(open, {
      description: 'As the network shows them: HEADER, BODY, FOOTER, BUTTONS and others',
    }),
    parameters: Type.Array(ref(TemplateParameter), { description: 'The values that it takes when it is sent' }),
    unsupported: nullable(plain.text('What it contains that the platform can not send; null when it can be sent')),
    network_id: nullable(plain.text("The network's id")),
    rejected_reason: nullable(plain.text('Why the review refused it')),
    fetched_at: Type.String({ ...Timestamp, description: 'When the network last described it' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Template = Static<typeof Template>;

export const TemplateList = Type.Object({
  ...pageSchema(ref(Template)).properties,
  catalogue: plain.object(
    "The platform's copy of the account's templates: when it was last made, null before the first time. With an error the templates are those of that time",
    {
      fetched_at: nullable(Timestamp),
      error: nullable(plain.text('Why the last try to read the templates failed')),
    },
  ),
});

/** Names and languages become part of requests to the network, which has the same limits. */
const name = Type.String({
  minLength: 1,
  maxLength: 512,
  ...explainedPattern('^[a-z0-9_]+$', 'must have only letters from a to z, digits and underscores'),
  description: 'The name of the template at the network',
});
const language = Type.String({
  maxLength: 20,
  ...explainedPattern('^[a-z]{2,3}(_[A-Z]{2,3})?$', 'must be a language of the network, such as pt_BR or en'),
  description: "The network's code of a language: pt_BR",
});

export const TemplateQuery = pageQuery('-createdAt', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'The whole name' })),
  language: Type.Optional(
    Type.String({ minLength: 1, maxLength: 20, description: 'The language, as BCP 47 writes it' }),
  ),
  category: Type.Optional(oneOf(TEMPLATE_CATEGORIES, "The network's category of the template")),
  status: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'APPROVED, PAUSED, …' })),
  search: searchParameter('A part of the name or of the texts, whatever its case and accents'),
});
export type TemplateQuery = Static<typeof TemplateQuery>;

export const InboxParams = Type.Object({ id: recordId('inbox') });
export const TemplateParams = Type.Object({
  id: recordId('inbox'),
  name: Type.String({
    minLength: 1,
    maxLength: 512,
    ...namesRecord('template'),
    description: 'The name of the template at the network',
  }),
});

const example = Type.Optional(
  Type.Unsafe<unknown>({
    type: ['array', 'object', 'string'],
    description: 'Sample values for the variables or the header, which the network wants to see for its review',
  }),
);
const label = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 25, description }));
const word = (description: string) => Type.String({ minLength: 1, maxLength: 2_000, description });

const app = {
  package_name: word('The name of the app that takes the code'),
  signature_hash: word("The hash of that app's signature"),
};

const button = strict({
  type: oneOf(
    ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG', 'VOICE_CALL', 'MPM', 'SPM'],
    'What a press of the button does',
  ),
  text: label('The label of the button'),
  url: Type.Optional(word('The address that the button opens')),
  phone_number: Type.Optional(
    Type.String({ minLength: 1, maxLength: 20, description: 'The number that the button calls' }),
  ),
  example,
  otp_type: Type.Optional(oneOf(['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'], 'How the code of the button gets to its app')),
  autofill_text: label('The label of the button that fills the code in'),
  package_name: Type.Optional(app.package_name),
  signature_hash: Type.Optional(app.signature_hash),
  supported_apps: Type.Optional(
    Type.Array(strict(app), { minItems: 1, maxItems: 5, description: 'The apps that take the code' }),
  ),
  zero_tap_terms_accepted: Type.Optional(
    plain.flag("Whether the network's terms for codes without a tap are accepted"),
  ),
  flow_id: Type.Optional(word('The id of the flow at the network')),
  flow_name: Type.Optional(word('The name of the flow at the network')),
  flow_json: Type.Optional(
    Type.String({ minLength: 1, maxLength: 65_536, description: 'The flow itself, as JSON in a text' }),
  ),
  flow_action: Type.Optional(oneOf(['navigate', 'data_exchange'], 'What a press of the button does in the flow')),
  navigate_screen: Type.Optional(word('The first screen of the flow')),
});

const plainComponent = {
  format: Type.Optional(
    oneOf(['TEXT', 'IMAGE', 'VIDEO', 'GIF', 'DOCUMENT', 'LOCATION', 'PRODUCT'], 'What a HEADER shows'),
  ),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_024, description: 'The text, with its variables in double braces' }),
  ),
  example,
  buttons: Type.Optional(Type.Array(button, { minItems: 1, maxItems: 10, description: 'The buttons, in their order' })),
};

const cardComponent = strict({
  type: oneOf(['HEADER', 'BODY', 'BUTTONS'], 'Which part of the template it is'),
  ...plainComponent,
});

const component = strict({
  type: oneOf(
    ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'],
    'Which part of the template it is',
  ),
  ...plainComponent,
  cards: Type.Optional(
    Type.Array(
      strict({
        components: Type.Array(cardComponent, { minItems: 1, maxItems: 3, description: 'The parts of the card' }),
      }),
      {
        minItems: 1,
        maxItems: 10,
        description: 'The cards of the carousel',
      },
    ),
  ),
  limited_time_offer: Type.Optional(
    plain.strict('The offer above the text', {
      text: Type.String({ minLength: 1, maxLength: 16, description: 'The words of the offer' }),
      has_expiration: Type.Optional(plain.flag('Whether the offer shows when it ends')),
    }),
  ),
  add_security_recommendation: Type.Optional(plain.flag('Whether the network adds a warning not to share the code')),
  code_expiration_minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, description: 'After how many minutes the code ends' }),
  ),
});
export type DraftComponent = Static<typeof component>;

export const TemplateCreate = define(
  'TemplateCreate',
  strict({
    name,
    language,
    category: oneOf(TEMPLATE_CATEGORIES, "The network's category of the template"),
    parameter_format: Type.Optional(
      oneOf(PARAMETER_FORMATS, 'By default NAMED if a variable has a name, else POSITIONAL'),
    ),
    components: Type.Array(component, {
      minItems: 1,
      maxItems: 6,
      description: "The parts of the template, in the network's form",
    }),
  }),
);
export type TemplateCreate = Static<typeof TemplateCreate>;

export const TemplatesRemoved = define(
  'TemplatesRemoved',
  Type.Object({
    _id: recordId('template', 'The first of the removed ones; the audit names the removal by it'),
    name: plain.name,
    removed: Type.Array(ref(Template), { description: 'The template in each of its languages' }),
  }),
);
export type TemplatesRemoved = Static<typeof TemplatesRemoved>;

const TemplateComponent = define('TemplateComponent', ComponentBody);

export const GivenTemplate = define(
  'GivenTemplate',
  plain.strict('A template to be sent, with its values', {
    name: Type.String({ minLength: 1, maxLength: 512, description: 'The name of the template at the network' }),
    language: Type.String({ minLength: 1, maxLength: 20, description: 'A language that the template has: pt_BR' }),
    components: Type.Optional(
      Type.Array(ref(TemplateComponent), {
        maxItems: MAX_COMPONENTS,
        description:
          'The values that it takes; GET /v1/inboxes/{id}/templates shows them as `parameters`. A parameter with `variable_ref` takes its value from each contact',
      }),
    ),
  }),
);
export type GivenTemplate = Static<typeof GivenTemplate>;

export const SendTemplate = define(
  'SendTemplate',
  strict({
    ...RECIPIENT,
    message: plain.strict('What is sent', {
      contentType: Type.Optional(oneOf(['TEMPLATE'], 'What kind of content it is')),
      template: ref(GivenTemplate, 'The template with its values'),
    }),
    replyTo: Type.Optional(nullable(recordId('message', 'The message that it answers'))),
  }),
);
export type SendTemplate = Static<typeof SendTemplate>;
