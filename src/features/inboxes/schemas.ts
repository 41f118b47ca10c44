import { Type, type Static, type TObject } from 'typebox';
import { CHANNEL_NAMES, CHANNEL_SETTINGS } from '../../channels/registry.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import {
  Timestamp,
  webAddress,
  writtenPhone,
  define,
  explainedPattern,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  plain,
} from '../../platform/values/schema.ts';
import { InboxHistory } from './history/schemas.ts';
import { awayText, csatQuestion, reopenDays } from './conversation-settings/schemas.ts';
import { MEMBERS, members } from './members/schemas.ts';

const OPERATOR_NAME =
  "Whether messages that users write are sent with the user's name before them, in bold if the network " +
  'supports it. A web chat shows names by show_operator_names instead';

const INBOX_STATUSES = ['ACTIVE', 'DELETED'] as const;
const status = oneOf(
  INBOX_STATUSES,
  'DELETED: the inbox is closed; it sends and receives nothing, and keeps its conversations',
);

const number = Type.String({
  minLength: 1,
  maxLength: 40,
  ...explainedPattern('^\\s*[+0-9(][0-9\\s().\\/-]*$', 'must be a phone number, such as +55 11 91234-5678'),
  description:
    'Phone number in international format. On channels with phone numbers, a number without + or 00 is read ' +
    "first in the country of the company's general_config, and stored as E.164; other channels keep it as it " +
    'is',
});
// A test number may be an e-mail address, whose longest form has this length.
const testNumber = Type.String({
  minLength: 1,
  maxLength: 254,
  description:
    "A person's identifier on the inbox's channel: a phone number, an e-mail address, or the network's id. A " +
    "phone number without + or 00 is read first in the country of the company's general_config, and stored " +
    'as E.164',
});

const inboundFlags = {
  process_unsupported_messages: plain.flag(
    'Whether an agent also answers messages of kinds that the platform does not know',
  ),
  disable_inbound_ai: plain.flag('Whether conversations that a contact opens are left to people'),
  pdf_local_text_extraction: plain.flag(
    'Whether agents get the text of PDF files, extracted by the platform, instead of pictures of their pages',
  ),
};

/** One property for the settings of each channel. The channels bring the schemas, so TypeScript knows no type for them here. */
const settingsProperties = (part: 'body' | 'record'): { [field in never]: TObject } =>
  Object.fromEntries(
    CHANNEL_SETTINGS.flatMap((settings) => (settings[part] ? [[settings.field, settings[part]]] : [])),
  );

const DOOR_NAME =
  'The name by which clients of the Evolution API address the inbox (`/evolution/…/{instance}`), unique among the active inboxes';

const DOOR_SETTINGS = 'What clients of the Evolution API have set for the instance';
const wish = (text: string): string => `Stored for the client, without effect: ${text}`;
const doorSettings = {
  rejectCall: plain.flag(wish('reject calls')),
  msgCall: Type.String({ maxLength: 1_000, description: wish('the text for rejected callers') }),
  groupsIgnore: plain.flag(wish('ignore messages of groups')),
  alwaysOnline: plain.flag(wish('always show the number as online')),
  readMessages: plain.flag(
    'Whether messages are marked as read on the network when they arrive. `unread_count` still counts them',
  ),
  readStatus: plain.flag(wish("mark contacts' status updates as read")),
  syncFullHistory: plain.flag(wish("load the phone's full history")),
};

/** The properties of an inbox that a request can set. In an update all are optional, and absent ones stay as they are. */
const properties = {
  channel: oneOf(CHANNEL_NAMES, 'The messaging channel'),
  name: Type.String({ minLength: 1, maxLength: 200, description: 'The name shown to people' }),
  // The name becomes part of a path, which `.` and `..` would change.
  door_name: Type.String({
    minLength: 1,
    maxLength: 200,
    ...explainedPattern(String.raw`^(?!\.{1,2}$)[^\x00-\x1f\x7f]*$`, 'must be the name of the instance'),
    description: `${DOOR_NAME}. By default the name of the instance, or a slug of the inbox's name`,
  }),
  door_settings: plain.strict(DOOR_SETTINGS, doorSettings),
  webhook_url: nullable(
    webAddress('Where the network notifies this platform, if not at the default address; null clears'),
  ),
  number,
  default_agent: nullable(recordId('agent', 'The agent of new conversations; null clears')),
  ...settingsProperties('body'),
  test_mode: plain.strict('While it is on, messages are sent only to the test numbers; everything inbound is stored', {
    enabled: Type.Optional(plain.flag('Whether test mode is on')),
    test_numbers: Type.Optional(
      Type.Array(testNumber, { maxItems: 100, description: 'The people who get messages in test mode' }),
    ),
  }),
  general_config: plain.strict('Settings for all messages of the inbox', {
    include_operator_name_on_message: plain.flag(OPERATOR_NAME),
  }),
  status,
  ...inboundFlags,
  reopen_days: reopenDays,
  default_owner: nullable(recordId('user', 'The user who becomes owner of new conversations; null clears')),
  default_team: nullable(recordId('team', 'The team of new conversations; null clears')),
  business_hours: nullable(recordId('business-hours', 'When the company answers in this inbox; null: always')),
  away_text: awayText,
  csat_question: csatQuestion,
  members: nullable(
    plain.strict(MEMBERS, { users: Type.Optional(members.users), teams: Type.Optional(members.teams) }),
  ),
};

export const InboxUpdate = define('InboxUpdate', Type.Partial(strict(properties), { additionalProperties: false }));
export type InboxUpdate = Static<typeof InboxUpdate>;

const { channel, name, ...rest } = properties;
export const InboxCreate = define(
  'InboxCreate',
  strict({ channel, name, ...Type.Partial(Type.Object(rest)).properties }),
);
export type InboxCreate = Static<typeof InboxCreate>;

const SENDING_STATES = ['AVAILABLE', 'LIMITED', 'BLOCKED'] as const;

const InboxStanding = plain.object(
  'How the network rates the number (WAP_AUTO_CLOSER). It is read when the inbox connects, once a day, and ' +
    'when the network reports a change; absent until then',
  {
    quality_rating: nullable(
      oneOf(
        ['GREEN', 'YELLOW', 'RED'],
        'How recipients have rated the messages of the last days: RED is low, and the network may then lower the ' +
          'daily limit or block the number; null while the network has no rating',
      ),
    ),
    sending: nullable(
      oneOf(
        SENDING_STATES,
        'Whether the network lets the number send: LIMITED and BLOCKED if it restricts the number or its account',
      ),
    ),
    problems: Type.Array(
      Type.Object({
        at: plain.text("What has the problem, in the network's words: PHONE_NUMBER, WABA, BUSINESS, APP"),
        code: nullable(plain.text('The code of the problem at the network')),
        description: plain.text("The network's error text"),
        solution: plain.text('What the network advises; empty if it advises nothing'),
      }),
      { description: 'Why the network limits or blocks sending, in its own words' },
    ),
    checked_at: Timestamp,
  },
);

export const Inbox = define(
  'Inbox',
  Type.Object({
    _id: recordId('inbox'),
    name: plain.name,
    door_name: plain.text(DOOR_NAME),
    door_settings: Type.Optional(plain.object(DOOR_SETTINGS, doorSettings)),
    number: plain.text("The inbox's own number at the network; empty on channels without numbers"),
    webhook_url: Type.Optional(plain.text('Where the network notifies this platform, if not at the default address')),
    test_mode: plain.object(
      'While it is on, messages are sent only to the test numbers; everything inbound is stored',
      {
        enabled: plain.flag('Whether test mode is on'),
        test_numbers: Type.Array(Type.String(), { description: 'The people who get messages in test mode' }),
      },
    ),
    company: recordId('company'),
    default_agent: Type.Optional(recordId('agent')),
    channel,
    status,
    ...Type.Partial(Type.Object(settingsProperties('record'))).properties,
    general_config: plain.object('Settings for all messages of the inbox', {
      include_operator_name_on_message: plain.flag(OPERATOR_NAME),
    }),
    coexistence_enabled: plain.flag('Whether the number is also used in the Business app'),
    ...inboundFlags,
    reopen_days: reopenDays,
    default_owner: nullable(recordId('user')),
    default_team: nullable(recordId('team')),
    business_hours: nullable(recordId('business-hours')),
    away_text: awayText,
    csat_question: csatQuestion,
    members: nullable(plain.object(MEMBERS, members)),
    connection: plain.object("Whether the network has accepted the inbox's credentials", {
      status: oneOf(
        ['PENDING', 'CONNECTED', 'ERROR'],
        'PENDING: the network has not accepted the inbox yet; ERROR: the network has refused the inbox, and `error` says why',
      ),
      checked_at: nullable(Timestamp),
      error: nullable(plain.text('What went wrong; null if nothing did')),
    }),
    standing: Type.Optional(InboxStanding),
    history: nullable(InboxHistory),
    has_templates: plain.flag(
      'Whether messages can be sent as templates from it. With PARTNER_API it is known once the inbox is connected',
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Inbox = Static<typeof Inbox>;

export const InboxList = pageSchema(ref(Inbox));
export const InboxQuery = pageQuery('-createdAt', {
  status: Type.Optional(oneOf(INBOX_STATUSES, 'Only records with this status')),
  channel: Type.Optional(oneOf(CHANNEL_NAMES, 'The messaging channel')),
  door_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only the inbox with this name' })),
});
export type InboxQuery = Static<typeof InboxQuery>;

const PAIRING_STATES = ['WAITING', 'CONNECTED', 'FAILED', 'NOT_NEEDED'] as const;

export const InboxPairing = define(
  'InboxPairing',
  Type.Object({
    state: oneOf(
      PAIRING_STATES,
      'WAITING: scan the picture with a phone or type the code · CONNECTED: a phone is paired · FAILED: the ' +
        'network gave no code · NOT_NEEDED: nothing is paired with this inbox',
    ),
    picture: nullable(plain.text('The QR code as a data URL; null until the network has made it')),
    code: nullable(plain.text('The code to type into the phone instead')),
    error: nullable(plain.text('The error if no code is available')),
  }),
);
export type InboxPairing = Static<typeof InboxPairing>;

/** As many as the gateway looks up within the time of a call. */
const MOST_NUMBERS = declareLimit(50, { topic: 'Networks', what: 'Phone numbers checked at once', beyond: '400' });

export const NumberCheck = define(
  'NumberCheck',
  strict({
    numbers: Type.Array(writtenPhone(), {
      minItems: 1,
      maxItems: MOST_NUMBERS,
      description: 'The phone numbers, with their country code',
    }),
  }),
);
export type NumberCheck = Static<typeof NumberCheck>;

export const CheckedNumbers = define(
  'CheckedNumbers',
  Type.Object({
    result: Type.Array(
      Type.Object({
        number: plain.text('As given'),
        exists: nullable(
          plain.flag('Whether the network knows the number; null if it cannot be asked, or did not answer'),
        ),
        network_id: nullable(plain.text("The network's name of it, if it has one")),
      }),
      { description: 'In the order of the request' },
    ),
  }),
);
export type CheckedNumbers = Static<typeof CheckedNumbers>;

export const ConnectLink = define(
  'ConnectLink',
  Type.Object({
    url: plain.text("The network's own page on which a person logs in. It is for one person and one log-in"),
    expires_at: Timestamp,
  }),
);
export type ConnectLink = Static<typeof ConnectLink>;

export const InboxParams = Type.Object({ id: recordId('inbox') });
