import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema, searchParameter } from '../../platform/store/paging.ts';
import {
  define,
  explainedPattern,
  Name,
  NO_BLANKS_AROUND,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  plain,
} from '../../platform/values/schema.ts';
import { FilterList } from '../contacts/schemas.ts';
import { GivenTemplate } from '../templates/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const MAX_STEPS = declareLimit(10, { topic: 'Campaigns', what: 'Campaign: steps', beyond: '400' });
// Ninety days.
const MAX_DELAY_MINUTES = declareLimit(129_600, {
  topic: 'Campaigns',
  what: 'Campaign: delay after the step before',
  unit: 'minutes',
  beyond: '400',
});
const MAX_CONTACTS = declareLimit(1_000, {
  topic: 'Campaigns',
  what: 'Campaign: contacts listed in the audience',
  beyond: '400',
});
const MAX_TAGS = declareLimit(50, { topic: 'Campaigns', what: 'Campaign: tags in the audience', beyond: '400' });

export const STATUSES = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;

const PAUSE_REASONS = ['USER', 'ERROR_RATE', 'NETWORK_LIMIT', 'TEMPLATE'] as const;

const delay = Type.Integer({
  minimum: 0,
  maximum: MAX_DELAY_MINUTES,
  description: 'The delay after the previous step; for the first step, after the enrollment',
});
const FUNNEL =
  'The pipeline step to which the conversation moves when the message is sent, unless the network rejects ' +
  'it; null for none. CONVERSATION_STEP_CHANGED then names the campaign';

const StepCreate = define(
  'CampaignStepCreate',
  strict({
    delay_minutes: Type.Optional(delay),
    template: ref(GivenTemplate, 'The template with its values'),
    funnel_step: Type.Optional(nullable(recordId('step', FUNNEL))),
  }),
);
export type StepCreate = Static<typeof StepCreate>;

const CampaignStep = define(
  'CampaignStep',
  Type.Object({
    index: plain.integer('The position of the step, from 0'),
    delay_minutes: delay,
    template: ref(GivenTemplate, 'The template with its values'),
    funnel_step: nullable(recordId('step', FUNNEL)),
  }),
);

const Audience = define(
  'CampaignAudience',
  plain.strict(
    'The contacts that match all `filters` and have one of the `tags`, plus the listed `contacts`. Without filters and tags, only the listed ones',
    {
      filters: Type.Optional(FilterList),
      tags: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100, ...NO_BLANKS_AROUND }), {
          maxItems: MAX_TAGS,
          uniqueItems: true,
          description: 'A contact must have one of these tags, as well as match the filters',
        }),
      ),
      contacts: Type.Optional(
        Type.Array(recordId('contact'), {
          maxItems: MAX_CONTACTS,
          uniqueItems: true,
          description: 'Contacts that are in the audience regardless of filters and tags',
        }),
      ),
    },
  ),
);
export type Audience = Static<typeof Audience>;
const AUDIENCE_WORDS = 'The contacts that match all `filters` and have one of the `tags`, plus the listed `contacts`';

const clock = (description: string) =>
  Type.String({
    ...explainedPattern('^([01]\\d|2[0-3]):[0-5]\\d$', 'must be a time of the day, such as 09:30'),
    description,
  });

const SendingHours = define(
  'SendingHours',
  strict({
    from: clock('When sending starts each day, in the time zone of the campaign'),
    to: clock('When sending ends each day; later than `from`'),
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: 'The days of the week on which messages are sent: 1 is Monday, 7 is Sunday',
    }),
  }),
);
export type SendingHours = Static<typeof SendingHours>;

/** The settings of a campaign that are stored together. */
const options = {
  messages_per_minute: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      description: "The most messages per minute; null for up to 80 % of the number's throughput",
    }),
  ),
  time_zone: nullable(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The time zone of the sending hours; null for the company's",
    }),
  ),
  sending_hours: nullable(ref(SendingHours), 'The hours and days on which messages are sent; null for always'),
  error_threshold: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'The percentage of failed messages at which the campaign pauses with ERROR_RATE; null for never',
    }),
  ),
  stop_on_reply: plain.flag('true: a contact who has replied gets no further steps'),
  send_to_active_conversations: plain.flag(
    'true: contacts with an open conversation in the inbox get the message in it. Otherwise they are skipped with ACTIVE_CONVERSATION',
  ),
};
const Options = Type.Object(options);
export type CampaignOptions = Static<typeof Options>;

const scheduledAt = nullable(
  Type.String({ ...Timestamp, description: 'When it should start; null to start immediately when requested' }),
);
const description = nullable(Type.String({ maxLength: 2_000, description: 'What the field is for, shown to people' }));
const agent = nullable(recordId('agent', "The agent of the conversations; null for the inbox's default_agent"));
const owner = nullable(recordId('user', "The owner of the conversations; null for the inbox's default_owner"));
const inbox = recordId('inbox', 'The inbox that sends; its channel must support templates');

const writable = {
  name: Name,
  description,
  inbox,
  steps: Type.Array(ref(StepCreate), {
    maxItems: MAX_STEPS,
    description: 'The messages in order: one, or a sequence',
  }),
  audience: ref(Audience, AUDIENCE_WORDS),
  agent,
  owner,
  scheduled_at: scheduledAt,
  ...options,
};

const { name: _name, inbox: _inbox, ...optional } = writable;
export const CampaignCreate = define(
  'CampaignCreate',
  strict({ name: Name, inbox, ...Type.Partial(Type.Object(optional)).properties }),
);
export type CampaignCreate = Static<typeof CampaignCreate>;

export const CampaignUpdate = define('CampaignUpdate', Type.Partial(strict(writable), { additionalProperties: false }));
export type CampaignUpdate = Static<typeof CampaignUpdate>;

export const Campaign = define(
  'Campaign',
  Type.Object({
    _id: recordId('campaign'),
    company: recordId('company'),
    name: plain.name,
    description,
    inbox,
    status: oneOf(
      STATUSES,
      'PAUSED: `pause_reason` says why; COMPLETED: nothing is left to send; FAILED: its inbox was closed',
    ),
    template: nullable(ref(GivenTemplate), 'The template with its values'),
    steps: Type.Array(ref(CampaignStep), { description: 'The steps, in order' }),
    audience: ref(Audience, AUDIENCE_WORDS),
    agent,
    owner,
    scheduled_at: scheduledAt,
    ...options,
    started_at: nullable(Timestamp),
    paused_at: nullable(Timestamp),
    pause_reason: nullable(
      oneOf(
        PAUSE_REASONS,
        'USER: a user or key paused it. ERROR_RATE: too many messages failed. NETWORK_LIMIT: the business has ' +
          "reached its network's daily limit; it resumes automatically. TEMPLATE: a template can no longer be sent",
      ),
    ),
    completed_at: nullable(Timestamp),
    totals: plain.object('The most important counters; `analytics` has all of them', {
      enrolled: plain.integer('The enrolled contacts'),
      sent: plain.integer('Contacts with at least one message accepted by the network'),
      failed: plain.integer('Contacts whose last message failed'),
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Campaign = Static<typeof Campaign>;

export const CampaignParams = Type.Object({ id: recordId('campaign') });
export const CampaignList = pageSchema(ref(Campaign));
export const CampaignQuery = pageQuery('-createdAt', {
  status: Type.Optional(oneOf(STATUSES, 'Only records with this status')),
  inbox: Type.Optional(recordId('inbox')),
  search: searchParameter('Part of the name or the description, ignoring case and accents'),
});
export type CampaignQuery = Static<typeof CampaignQuery>;

export const SKIP_REASONS = [
  'BLOCKED',
  'OPTED_OUT',
  'INVALID_NUMBER',
  'NOT_TEST_NUMBER',
  'ACTIVE_CONVERSATION',
  'NOT_DELIVERABLE',
  'MISSING_VARIABLE',
  'INVALID_PARAMETER',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const PreviewMessage = Type.Object({
  contact: recordId('contact'),
  name: nullable(plain.text('The name of the contact')),
  phone_number: nullable(plain.text('The number of the contact')),
  content: nullable(plain.text('The first message as the contact will read it; null if it cannot be filled in')),
  error: nullable(plain.text('Why the message cannot be filled in')),
});
export type PreviewMessage = Static<typeof PreviewMessage>;

export const CampaignPreview = define(
  'CampaignPreview',
  Type.Object({
    campaign: recordId('campaign'),
    total: plain.integer('The contacts currently in the audience'),
    sendable: plain.integer('Contacts who would get the first message'),
    skipped: Type.Array(
      Type.Object({
        reason: oneOf(SKIP_REASONS, 'Why they would be skipped'),
        count: plain.integer('The contacts that would be skipped for this reason'),
        message: nullable(
          plain.text('The value that does not fit, from the first of these contacts; null for the other reasons'),
        ),
      }),
      {
        description:
          'How many contacts would be skipped, by reason. INVALID_PARAMETER is found among the first 10,000 contacts that are not skipped for another reason',
      },
    ),
    messages: Type.Array(PreviewMessage, {
      description: 'The messages of the first ten contacts, including those with a missing or wrong value',
    }),
    problems: Type.Array(
      Type.Object({
        path: plain.text('The field of the campaign'),
        code: plain.text('The name of the error, for programs'),
        message: plain.text('What happened, in a sentence for people'),
      }),
      {
        description: 'What to fix before anything can be sent: the field of the campaign, a code and a sentence',
      },
    ),
  }),
);
export type CampaignPreview = Static<typeof CampaignPreview>;
