import { Type, type Static } from 'typebox';
import { CONTENT_TYPES } from '../../channels/content.ts';
import { CHANNEL_NAMES } from '../../channels/registry.ts';
import { describeFilters, filtersParameter } from '../../platform/store/filters/parameter.ts';
import { PRIORITIES, SORTS, type Priority } from '../../platform/store/orders.ts';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  ID_PATTERN,
  NO_BLANKS_AROUND,
  Name,
  PhoneCountry,
  Timestamp,
  define,
  explainedPattern,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  writtenPhone,
  plain,
} from '../../platform/values/schema.ts';
import { ContactSummary } from '../contacts/schemas.ts';
import { FieldValue, fieldValuesSchema } from '../custom-fields/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export const SenderType = oneOf(
  ['CONTACT', 'USER', 'AGENT', 'SYSTEM'],
  'Who wrote it: a contact, a user, an agent or API key of the company, or the platform',
);
const ORIGINS = [
  'API',
  'DASHBOARD',
  'AGENT',
  'CAMPAIGN',
  'BULK',
  'FOLLOWUP',
  'RULE',
  'AWAY',
  'CSAT',
  'BUSINESS_APP',
  'CHANNEL',
] as const;
export const Origin = oneOf(ORIGINS, 'Where the message comes from; AWAY and CSAT: sent by the inbox itself');
export const MessageType = oneOf(
  ['INCOMING', 'OUTGOING', 'NOTE', 'SYSTEM'],
  'Whether it was received, sent, is a note of the company, or comes from the platform',
);
export const CONVERSATION_STATUSES = ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED'] as const;
export const HANDLERS = ['AI', 'HUMAN', 'NONE'] as const;
const status = oneOf(
  CONVERSATION_STATUSES,
  'SNOOZED: it reopens at `snoozed_until`, or when the contact writes; CLOSED: if the contact writes, a new conversation opens, or this one within `reopen_days` of the inbox',
);

/** Returns the number with which a priority is stored: 0 for none, and more for a more urgent one. */
export const readRank = (priority: Priority | null): number =>
  priority === null ? 0 : PRIORITIES.indexOf(priority) + 1;
const priority = nullable(oneOf(PRIORITIES), 'How urgent it is; null for no priority');

const due = (description: string) => nullable({ ...Timestamp, description });
const ConversationSla = define(
  'ConversationSla',
  plain.object(
    'When a conversation is to be answered and closed. It is set shortly after the conversation has changed',
    {
      policy: recordId('sla-policy'),
      first_reply_due_at: due(
        'When the contact is to be answered for the first time; null without this target, or if the contact was',
      ),
      next_reply_due_at: due(
        'When the contact is to be answered again; null without this target, or if the contact is not waiting',
      ),
      close_due_at: due('When the conversation is to be closed; null without this target'),
      due_at: due('The earliest of these times; null if there is none, as in a snoozed conversation'),
      breached_at: due('When the last of the targets was missed that are still missed; null if none is'),
    },
  ),
);

export const Conversation = define(
  'Conversation',
  Type.Object({
    _id: recordId('conversation'),
    company: recordId('company'),
    contact: recordId('contact'),
    contact_summary: ref(ContactSummary, "The contact's name and identifiers"),
    inbox: recordId('inbox'),
    channel: oneOf(CHANNEL_NAMES, 'The messaging channel'),
    status,
    priority,
    handled_by: oneOf(HANDLERS, 'Who replies: an agent, people, or not decided yet'),
    agent: nullable(recordId('agent')),
    owner: nullable(recordId('user')),
    attendant: nullable(recordId('user')),
    team: nullable(recordId('team')),
    pipeline: nullable(recordId('pipeline')),
    step: nullable(recordId('step')),
    campaign: nullable(recordId('campaign')),
    enrollment: nullable(recordId('enrollment')),
    tags: Type.Array(Type.String(), { description: 'Words for grouping records' }),
    custom_fields: Type.Array(ref(FieldValue), {
      description: 'The values of custom fields that are not empty',
    }),
    unread_count: plain.integer('The number of unread messages of the contact'),
    last_message: nullable(
      plain.object(
        'The newest message that was received, written by a user, or accepted; of those that the platform has rejected, only those of users count',
        {
          _id: recordId('message'),
          content: nullable(plain.text('The text')),
          contentType: oneOf(CONTENT_TYPES, 'The kind of content'),
          file_name: nullable(plain.text('The name of its file')),
          sender_type: SenderType,
          sender: nullable(plain.text('The user or key that sent it; for an incoming message, the contact')),
          message_type: MessageType,
          origin: Origin,
          is_failed: plain.flag('Whether it was not sent or not delivered'),
          is_revoked: plain.flag('Whether it was deleted for everyone'),
          createdAt: Timestamp,
        },
      ),
    ),
    last_message_at: nullable(Timestamp),
    last_inbound_at: nullable(Timestamp),
    waiting_since: nullable({
      ...Timestamp,
      description:
        'When the contact wrote the oldest message that no one has answered; null if the contact is not waiting. A message of a user, a key, an agent or the business app ' +
        'answers as soon as it is accepted, even if it fails later; a campaign, a bulk send, a follow-up, a rule and a note do not. Closing ends the waiting',
    }),
    window_expires_at: nullable(Timestamp),
    snoozed_until: nullable(Timestamp),
    woken_at: nullable({
      ...Timestamp,
      description: 'When its snooze ended automatically; null once it was read, answered or changed',
    }),
    awaits_reply: plain.flag('Whether a campaign has reached the contact and the contact has not replied yet'),
    is_test: plain.flag('Whether it belongs to the test mode of its inbox'),
    closed_at: nullable(Timestamp),
    sla: nullable(ref(ConversationSla), 'The targets of the SLA policy that applies to it; null without one'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Conversation = Static<typeof Conversation>;

export const ConversationParams = Type.Object({ id: recordId('conversation') });

export const ConversationCreate = define(
  'ConversationCreate',
  strict({
    inbox: recordId('inbox'),
    contact: Type.Optional(recordId('contact', 'Either contact or phone_number is required')),
    phone_number: Type.Optional(writtenPhone('. If no contact has this number, one is created')),
    country: Type.Optional(PhoneCountry),
    name: Type.Optional(nullable(Name, 'The name of the contact, if it is created')),
    owner: Type.Optional(
      Type.Unsafe<string | null>({
        ...nullable(recordId('user')),
        description: "By default the inbox's default_owner; null: no owner",
      }),
    ),
    team: Type.Optional(
      Type.Unsafe<string | null>({
        ...nullable(recordId('team')),
        description: "By default the inbox's default_team; null: no team",
      }),
    ),
    agent: Type.Optional(
      Type.Unsafe<string | null>({
        ...nullable(recordId('agent')),
        description:
          "By default the inbox's default_agent; null: no agent. A conversation with an agent is handled_by AI",
      }),
    ),
  }),
);
export type ConversationCreate = Static<typeof ConversationCreate>;

/** Tags are stored exactly as given, so blanks around one are refused: they would make a second tag that looks the same. */
const tag = Type.String({ minLength: 1, maxLength: 100, ...NO_BLANKS_AROUND });

/** The fields of a conversation that one change can set to the same value in many. */
export const SHARED_CHANGES = {
  status,
  priority,
  snoozed_until: Type.Unsafe<string | null>({
    ...nullable(Timestamp),
    description: 'When a SNOOZED conversation reopens; null: only when the contact writes',
  }),
  handled_by: oneOf(HANDLERS, 'AI requires an agent'),
  agent: nullable(recordId('agent')),
  owner: nullable(recordId('user')),
  attendant: nullable(recordId('user')),
  team: nullable(recordId('team')),
  step: Type.Unsafe<string | null>({
    ...nullable(recordId('step')),
    description: 'The pipeline is set with the step; null clears both',
  }),
  custom_fields: fieldValuesSchema('conversation'),
};

/** The most tags of a conversation. */
export const MAX_TAGS = declareLimit(50, { topic: 'Messages', what: 'Tags per conversation', beyond: '400' });
/** A list of tags without repetitions. */
export const tagList = (description: string) => Type.Array(tag, { maxItems: MAX_TAGS, uniqueItems: true, description });

export const ConversationUpdate = define(
  'ConversationUpdate',
  Type.Partial(strict({ ...SHARED_CHANGES, tags: tagList('Replaces all tags of the conversation') }), {
    additionalProperties: false,
  }),
);
export type ConversationUpdate = Static<typeof ConversationUpdate>;

export const StepChange = define('StepChange', strict({ step: recordId('step') }));
export type StepChange = Static<typeof StepChange>;

/** The value of a filter for conversations without such a record. */
const SLA_STATES = ['DUE_SOON', 'BREACHED'] as const;
export const NONE = 'none';
/** The value of a filter for the calling user. */
export const ME = 'me';
const idOr = (kind: 'user' | 'team' | 'step', words: readonly string[], description: string) =>
  Type.String({
    ...recordId(kind),
    ...explainedPattern(`${ID_PATTERN}|^(${words.join('|')})$`, `must be an id, or ${words.join(' or ')}`),
    description,
  });

export const ConversationList = pageSchema(ref(Conversation));
const SEARCH =
  "Part of the contact's name or e-mail, ignoring case and accents, of the phone number, or of the WhatsApp username; or the id of the conversation or the contact";
const PRIORITY = `(${[...PRIORITIES, NONE].join('|')})`;
const MAX_WAITING_MINUTES = declareLimit(527_040, {
  topic: 'Messages',
  what: 'Filter `waiting_longer_than` of conversations',
  unit: 'minutes',
  beyond: '400',
});
/** The filters of the list besides its search, which also select the conversations of a bulk change. */
const CONVERSATION_FILTERS = {
  status: Type.Optional(oneOf(CONVERSATION_STATUSES, 'Only records with this status')),
  open: Type.Optional(plain.flag('true: conversations with any status but CLOSED; false: closed ones')),
  snoozed: Type.Optional(plain.flag('true: snoozed conversations only; false: all others')),
  awaits_reply: Type.Optional(
    plain.flag('true: those whose contact was reached by a campaign and has not replied yet; false: all others'),
  ),
  unread: Type.Optional(plain.flag('true: open conversations with unread messages; false: all others')),
  waiting_longer_than: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAITING_MINUTES,
      description:
        'Only conversations whose contact has waited for an answer for this number of minutes (`waiting_since`)',
    }),
  ),
  priority: Type.Optional(
    Type.String({
      ...explainedPattern(
        `^${PRIORITY}(,${PRIORITY}){0,${PRIORITIES.length}}$`,
        `must be priorities separated by commas: ${PRIORITIES.join(', ')} or ${NONE}`,
      ),
      description: `Conversations with one of these priorities, separated by commas: ${PRIORITIES.join(', ')}, or none`,
    }),
  ),
  sla: Type.Optional(
    oneOf(
      SLA_STATES,
      'BREACHED: those whose next target of their SLA is missed; DUE_SOON: those whose next target is within 30 minutes',
    ),
  ),
  handled_by: Type.Optional(oneOf(HANDLERS, 'Who replies: an agent, people, or not decided yet')),
  channel: Type.Optional(oneOf(CHANNEL_NAMES, 'Only conversations in inboxes of this channel')),
  inbox: Type.Optional(recordId('inbox')),
  contact: Type.Optional(recordId('contact')),
  owner: Type.Optional(idOr('user', [NONE, ME], 'The id of a user; none: without an owner; me: the calling user')),
  attendant: Type.Optional(recordId('user')),
  team: Type.Optional(idOr('team', [NONE], 'The id of a team; none: conversations without a team')),
  agent: Type.Optional(recordId('agent')),
  pipeline: Type.Optional(recordId('pipeline')),
  step: Type.Optional(idOr('step', [NONE], 'The id of a pipeline step; none: conversations without a step')),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only conversations with this tag' })),
  filters: filtersParameter(
    `A conversation must match all of them. ${describeFilters('the id or slug of a custom field of conversations')}`,
    [{ field: 'order_total', operator: 'gte', value: 100 }],
    'conversation-field',
  ),
};
export const ConversationFilters = define(
  'ConversationFilters',
  strict({ ...CONVERSATION_FILTERS, search: searchParameter(SEARCH) }),
);
export type ConversationFilters = Static<typeof ConversationFilters>;
export const CONVERSATION_SORTS = [...SORTS, '-last_message_at', 'waiting_since', '-priority'] as const;
const LISTED = { ...CONVERSATION_FILTERS, search: searchParameter(SEARCH, 'conversation', 'contact') };
export const ConversationExportQuery = strict(LISTED);
export const ConversationQuery = pageQuery('-createdAt', LISTED, CONVERSATION_SORTS);
export type ConversationQuery = Static<typeof ConversationQuery>;
