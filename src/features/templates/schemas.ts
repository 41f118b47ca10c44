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
    component: oneOf(SLOT_COMPONENTS, 'The part of the template'),
    card: nullable(plain.integer('The card of a carousel, from 0; null outside cards')),
    index: nullable(plain.integer('The position of a button, from 0; null for other components')),
    sub_type: nullable(plain.text('The kind of the button: QUICK_REPLY, URL, COPY_CODE, FLOW, CATALOG')),
    name: nullable(plain.text('The name of the variable, if the template has named ones')),
    position: plain.integer('The position among the parameters of the component, from 1'),
    type: oneOf(SLOT_TYPES, 'The type of value. A TEXT of the body can also be an amount or a date'),
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
    language: plain.text("The network's language code: pt_BR"),
    category: plain.text('MARKETING, UTILITY or AUTHENTICATION'),
    status: plain.text(
      "The network's own status: APPROVED, PENDING, REJECTED, PAUSED, DISABLED, IN_APPEAL, PENDING_DELETION, ARCHIVED and others. Only APPROVED can be sent",
    ),
    quality: nullable(plain.text("The network's rating: GREEN, YELLOW, RED or UNKNOWN")),
    parameter_format: oneOf(
      PARAMETER_FORMATS,
      'Whether the variables are numbered, {{1}}, or have names, {{first_name}}',
    ),
    components: Type.Array(open, {
      description: 'As the network shows them: HEADER, BODY, FOOTER, BUTTONS and others',
    }),
    parameters: Type.Array(ref(TemplateParameter), { description: 'The values that a send needs' }),
    unsupported: nullable(plain.text('Why the platform cannot send it; null if it can')),
    editable: plain.flag('Whether the network accepts new contents now'),
    network_id: nullable(plain.text("The network's id")),
    rejected_reason: nullable(plain.text('Why the review rejected it')),
    fetched_at: Type.String({ ...Timestamp, description: 'When the network last reported it' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Template = Static<typeof Template>;

export const TemplateList = Type.Object({
  ...pageSchema(ref(Template)).properties,
  catalogue: plain.object(
    "The platform's copy of the account's templates: when it was last made, null before the first time. If " +
      'there is an error, the templates are from that time',
    {
      fetched_at: nullable(Timestamp),
      error: nullable(plain.text('Why the last attempt to read the templates failed')),
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
  description: "The network's language code: pt_BR",
});

export const TemplateQuery = pageQuery('-createdAt', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'The full name' })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 20, description: 'The language, as a BCP 47 tag' })),
  category: Type.Optional(oneOf(TEMPLATE_CATEGORIES, "The network's category of the template")),
  status: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'APPROVED, PAUSED, …' })),
  search: searchParameter('Part of the name or of the texts, ignoring case and accents'),
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
  package_name: word('The package name of the app that receives the code'),
  signature_hash: word("The hash of that app's signature"),
};

const button = strict({
  type: oneOf(
    ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG', 'VOICE_CALL', 'MPM', 'SPM'],
    'The action of the button',
  ),
  text: label('The label of the button'),
  url: Type.Optional(word('The address that the button opens')),
  phone_number: Type.Optional(
    Type.String({ minLength: 1, maxLength: 20, description: 'The number that the button calls' }),
  ),
  example,
  otp_type: Type.Optional(oneOf(['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'], 'How the button passes the code to its app')),
  autofill_text: label('The label of the autofill button'),
  package_name: Type.Optional(app.package_name),
  signature_hash: Type.Optional(app.signature_hash),
  supported_apps: Type.Optional(
    Type.Array(strict(app), { minItems: 1, maxItems: 5, description: 'The apps that receive the code' }),
  ),
  zero_tap_terms_accepted: Type.Optional(plain.flag("Whether the network's terms for zero-tap codes are accepted")),
  flow_id: Type.Optional(word('The id of the flow at the network')),
  flow_name: Type.Optional(word('The name of the flow at the network')),
  flow_json: Type.Optional(
    Type.String({ minLength: 1, maxLength: 65_536, description: 'The flow itself, as a JSON string' }),
  ),
  flow_action: Type.Optional(oneOf(['navigate', 'data_exchange'], 'The action of the button in the flow')),
  navigate_screen: Type.Optional(word('The first screen of the flow')),
});

const plainComponent = {
  format: Type.Optional(
    oneOf(['TEXT', 'IMAGE', 'VIDEO', 'GIF', 'DOCUMENT', 'LOCATION', 'PRODUCT'], 'The kind of content in a HEADER'),
  ),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_024, description: 'The text, with its variables in double braces' }),
  ),
  example,
  buttons: Type.Optional(Type.Array(button, { minItems: 1, maxItems: 10, description: 'The buttons, in order' })),
};

const cardComponent = strict({
  type: oneOf(['HEADER', 'BODY', 'BUTTONS'], 'The part of the template'),
  ...plainComponent,
});

const DraftComponent = define(
  'TemplateDraftComponent',
  strict({
    type: oneOf(['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'], 'The part of the template'),
    ...plainComponent,
    cards: Type.Optional(
      Type.Array(
        strict({
          components: Type.Array(cardComponent, {
            minItems: 1,
            maxItems: 3,
            description: 'The components of the card',
          }),
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
        text: Type.String({ minLength: 1, maxLength: 16, description: 'The text of the offer' }),
        has_expiration: Type.Optional(plain.flag('Whether the offer shows when it expires')),
      }),
    ),
    add_security_recommendation: Type.Optional(plain.flag('Whether the network adds a warning not to share the code')),
    code_expiration_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 90, description: 'After how many minutes the code expires' }),
    ),
  }),
);
export type DraftComponent = Static<typeof DraftComponent>;

const components = Type.Array(ref(DraftComponent), {
  minItems: 1,
  maxItems: 6,
  description: "The components of the template, in the network's format",
});

export const TemplateCreate = define(
  'TemplateCreate',
  strict({
    name,
    language,
    category: oneOf(TEMPLATE_CATEGORIES, "The network's category of the template"),
    parameter_format: Type.Optional(
      oneOf(PARAMETER_FORMATS, 'By default NAMED if a variable has a name, else POSITIONAL'),
    ),
    components,
  }),
);
export type TemplateCreate = Static<typeof TemplateCreate>;

export const TemplateUpdate = define(
  'TemplateUpdate',
  strict({
    language,
    category: Type.Optional(
      oneOf(TEMPLATE_CATEGORIES, 'The new category; that of an APPROVED template cannot be changed'),
    ),
    components,
  }),
);
export type TemplateUpdate = Static<typeof TemplateUpdate>;

export const TemplatesRemoved = define(
  'TemplatesRemoved',
  Type.Object({
    _id: recordId('template', 'The first of the removed templates; it identifies the removal in the audit log'),
    name: plain.name,
    removed: Type.Array(ref(Template), { description: 'The template in each of its languages' }),
  }),
);
export type TemplatesRemoved = Static<typeof TemplatesRemoved>;

const TemplateComponent = define('TemplateComponent', ComponentBody);

export const GivenTemplate = define(
  'GivenTemplate',
  plain.strict('A template to send, with its values', {
    name: Type.String({ minLength: 1, maxLength: 512, description: 'The name of the template at the network' }),
    language: Type.String({ minLength: 1, maxLength: 20, description: 'A language of the template: pt_BR' }),
    components: Type.Optional(
      Type.Array(ref(TemplateComponent), {
        maxItems: MAX_COMPONENTS,
        description:
          'The values of its variables; GET /v1/inboxes/{id}/templates lists them as `parameters`. A parameter with `variable_ref` is filled from each contact',
      }),
    ),
  }),
);
export type GivenTemplate = Static<typeof GivenTemplate>;

export const SendTemplate = define(
  'SendTemplate',
  strict({
    ...RECIPIENT,
    message: plain.strict('The message to send', {
      contentType: Type.Optional(oneOf(['TEMPLATE'], 'The kind of content')),
      template: ref(GivenTemplate, 'The template with its values'),
    }),
    replyTo: Type.Optional(nullable(recordId('message', 'The message that it replies to'))),
  }),
);
export type SendTemplate = Static<typeof SendTemplate>;
