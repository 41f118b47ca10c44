import { Type, type Static } from 'typebox';
import { CHANNEL_NAMES } from '../../channels/registry.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import {
  define,
  Name,
  namesRecord,
  nullable,
  oneOf,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';
import { ACTION_PROPERTIES, ACTIONS_WORDS } from '../macros/schemas.ts';

const { Optional } = Type;

export const MAX_RULES = declareLimit(100, { topic: 'Messages', what: 'Rules of a company', beyond: '400' });
const MAX_GROUPS = declareLimit(10, { topic: 'Messages', what: 'Groups of conditions of a rule', beyond: '400' });
const MAX_CONDITIONS = declareLimit(20, { topic: 'Messages', what: 'Conditions of a group', beyond: '400' });
const MAX_VALUES = declareLimit(50, { topic: 'Messages', what: 'Values of a condition', beyond: '400' });
const MAX_VALUE = declareLimit(200, {
  topic: 'Messages',
  what: 'Value of a condition',
  unit: 'characters',
  beyond: '400',
});
const MAX_AFTER_MINUTES = declareLimit(43_200, {
  topic: 'Messages',
  what: 'Rules: `after_minutes`',
  unit: 'minutes',
  beyond: '400',
});
const MAX_POSITION = declareLimit(1_000_000, { topic: 'Messages', what: 'Rules: `position`', beyond: '400' });
/** How often a rule writes to the contact of a conversation. */
export const REPLY_PAUSE_HOURS = declareLimit(24, {
  topic: 'Messages',
  what: 'Rules: time between two messages of a rule to a contact in an inbox',
  unit: 'hours',
  beyond: 'the message is left out',
});

/** How often a rule runs in a conversation, because two systems that answer each other's changes would go on for ever. */
export const MAX_RUNS_PER_HOUR = declareLimit(20, {
  topic: 'Messages',
  what: 'Rules: runs of a rule in a conversation, per hour',
  beyond: 'it does not run',
});
/** All values of a rule together, because each is compared with each message of a dry run. */
export const MAX_RULE_VALUES = declareLimit(500, {
  topic: 'Messages',
  what: 'Values of a rule, together',
  beyond: '400',
});

/** The queue of what has happened and rules wait for. */
export const RULE_EVENTS_QUEUE = 'rule-events';

const RULE_EVENTS = [
  'MESSAGE_RECEIVED',
  'CONVERSATION_OPENED',
  'CONVERSATION_ASSIGNED',
  'CONVERSATION_CLOSED',
  'TAG_ADDED',
  'REPLY_OVERDUE',
] as const;
export type RuleEvent = (typeof RULE_EVENTS)[number];
const event = oneOf(
  RULE_EVENTS,
  'MESSAGE_RECEIVED: a contact writes; CONVERSATION_OPENED: a conversation is created or reopened; CONVERSATION_ASSIGNED: it gets an owner or a team; ' +
    'CONVERSATION_CLOSED; TAG_ADDED; REPLY_OVERDUE: a contact has waited for a reply for `after_minutes`',
);

export const CONDITION_FIELDS = [
  'text',
  'inbox',
  'channel',
  'status',
  'priority',
  'handled_by',
  'agent',
  'owner',
  'attendant',
  'team',
  'step',
  'tags',
  'custom_field',
] as const;
export type ConditionField = (typeof CONDITION_FIELDS)[number];
const OPERATORS = [
  'ANY_OF',
  'NONE_OF',
  'CONTAINS_ANY_OF',
  'CONTAINS_NONE_OF',
  'AT_LEAST',
  'AT_MOST',
  'IS_SET',
  'IS_EMPTY',
] as const;
export type Operator = (typeof OPERATORS)[number];

const Condition = define(
  'RuleCondition',
  strict({
    field: oneOf(
      CONDITION_FIELDS,
      'What is looked at: `text` is the text of the message with the subject of a mail, and for events without a message that of the last one; all others are fields of the conversation',
    ),
    custom_field: Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        ...namesRecord('conversation-field'),
        description: 'The id or slug of a custom field of conversations, for the field custom_field',
      }),
    ),
    operator: oneOf(
      OPERATORS,
      'ANY_OF and NONE_OF compare entire values; CONTAINS_… look for parts of a text, ignoring case and accents; AT_LEAST and AT_MOST compare numbers and dates',
    ),
    values: Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_VALUE }), {
        minItems: 1,
        maxItems: MAX_VALUES,
        uniqueItems: true,
        description: `Ids, names such as ${CHANNEL_NAMES[0]} or HIGH, tags, words or numbers. Not for IS_SET and IS_EMPTY`,
      }),
    ),
  }),
);
export type Condition = Static<typeof Condition>;

const Group = define(
  'RuleConditionGroup',
  strict({
    match: oneOf(['ALL', 'ANY'], 'Whether all of its conditions must be true, or one of them'),
    conditions: Type.Array(ref(Condition), { minItems: 1, maxItems: MAX_CONDITIONS, description: 'The conditions' }),
  }),
);
export type ConditionGroup = Static<typeof Group>;

const conditions = Type.Array(ref(Group), {
  maxItems: MAX_GROUPS,
  description: 'Groups of conditions, of which each must hold; none: the rule always runs',
});
const after_minutes = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_AFTER_MINUTES,
    description: 'For REPLY_OVERDUE: how long the contact has waited',
  }),
);
const position = Type.Integer({
  minimum: 0,
  maximum: MAX_POSITION,
  description: 'Rules of the same event run in this order, the smallest first. 0 by default',
});

const RuleActions = define(
  'RuleActions',
  Type.Partial(
    strict({
      ...ACTION_PROPERTIES,
      webhook: plain.flag('true: sends the event RULE_RUN to the webhook, with the run as its data'),
    }),
    { additionalProperties: false, minProperties: 1 },
  ),
);
export type RuleActions = Static<typeof RuleActions>;

export const Rule = define(
  'Rule',
  Type.Object({
    _id: recordId('rule'),
    company: recordId('company'),
    name: plain.name,
    event,
    after_minutes: nullable(plain.integer('For REPLY_OVERDUE: how long the contact has waited')),
    is_active: plain.flag('Whether it runs'),
    position: plain.integer('Rules of the same event run in this order, the smallest first'),
    conditions,
    actions: ref(RuleActions, ACTIONS_WORDS),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Rule = Static<typeof Rule>;

const properties = {
  name: Name,
  event,
  actions: ref(RuleActions, ACTIONS_WORDS),
};
const optional = {
  after_minutes: Optional(after_minutes),
  is_active: Optional(plain.flag('Whether it runs. true by default')),
  position: Optional(position),
  conditions: Optional(conditions),
};

export const RuleCreate = define('RuleCreate', strict({ ...properties, ...optional }));
export type RuleCreate = Static<typeof RuleCreate>;

export const RuleUpdate = define(
  'RuleUpdate',
  Type.Partial(strict({ ...properties, ...optional }), { additionalProperties: false }),
);
export type RuleUpdate = Static<typeof RuleUpdate>;

export const RuleParams = Type.Object({ id: recordId('rule') });
export const RuleList = pageSchema(ref(Rule));
export const RuleQuery = pageQuery('-createdAt', {
  event: Optional(event),
  is_active: Optional(plain.flag('Only rules that run, or only others')),
});
export type RuleQuery = Static<typeof RuleQuery>;

export const RuleRun = define(
  'RuleRun',
  Type.Object({
    _id: recordId('rule-run'),
    company: recordId('company'),
    rule: recordId('rule'),
    event,
    conversation: recordId('conversation'),
    message: nullable(recordId('message'), 'The message of the contact that started it; null for other events'),
    status: oneOf(['DONE', 'FAILED'], 'FAILED: none of its actions was made, and `failure` says why'),
    reply_skipped: nullable(
      oneOf(
        ['RECENT', 'AUTOMATIC'],
        `Why its message to the contact was left out. RECENT: the rule has written to the contact in this inbox within ${REPLY_PAUSE_HOURS} hours; AUTOMATIC: it would answer a machine`,
      ),
    ),
    scheduled_message: nullable(recordId('scheduled-message', 'The scheduled message that it sends to the contact')),
    failure: nullable(
      plain.object('Why it failed', {
        code: plain.text('The code of the error'),
        message: plain.text('What happened, in a sentence'),
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type RuleRun = Static<typeof RuleRun>;
export const RuleRunList = pageSchema(ref(RuleRun));
export const RuleRunQuery = pageQuery('-createdAt', {
  status: Optional(oneOf(['DONE', 'FAILED'], 'Only records with this status')),
});
export type RuleRunQuery = Static<typeof RuleRunQuery>;

/** How many days a dry run looks back, how many records it looks at, and how many of those that match it shows. */
export const DRY_RUN_DAYS = declareLimit(7, { topic: 'Messages', what: 'Dry run of a rule: days', beyond: 'left out' });
export const MOST_CHECKED = declareLimit(2_000, {
  topic: 'Messages',
  what: 'Dry run of a rule: messages or conversations, the newest first',
  beyond: '`is_complete` is false',
});
export const MOST_SHOWN = declareLimit(50, {
  topic: 'Messages',
  what: 'Dry run of a rule: matches shown',
  beyond: 'counted only',
});

export const RuleDryRun = define('RuleDryRun', strict({ event, conditions: Optional(conditions) }));
export type RuleDryRun = Static<typeof RuleDryRun>;

export const RuleDryRunResult = define(
  'RuleDryRunResult',
  Type.Object({
    checked: plain.integer(
      'The messages of contacts, or for other events the conversations with a message, of the last 7 days',
    ),
    matched: plain.integer('Those for which the conditions hold'),
    is_complete: plain.flag(`False if there were more than ${MOST_CHECKED}: the newest were looked at`),
    matches: Type.Array(
      plain.object('A match', {
        conversation: recordId('conversation'),
        message: nullable(recordId('message')),
        inbox: recordId('inbox'),
        channel: oneOf(CHANNEL_NAMES, 'The messaging channel'),
        contact_name: nullable(plain.text('The name of the contact')),
        text: nullable(plain.text('The text of the message')),
        createdAt: Timestamp,
      }),
      { description: `The newest ${MOST_SHOWN} matches` },
    ),
  }),
);
export type RuleDryRunResult = Static<typeof RuleDryRunResult>;
