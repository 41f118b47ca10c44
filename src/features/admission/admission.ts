/**
 * The rules for whether a message can be sent to a person through an inbox now. All sends and previews use this one list: in memory for one
 * person, or as SQL for many. docs/messages.md shows it.
 */
import type { ContentType } from '../../channels/content.ts';
import type { Identity } from '../../channels/identity.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { readNames } from '../inboxes/test-people.ts';
import type { Bind, Facts, FactsSql } from './recipient-sql.ts';

/** The facts of a person whom the company does not know yet. */
export const STRANGER: Facts = {
  blocked: false,
  opted_out: false,
  name: null,
  is_engaged: false,
  country_code: null,
  is_resting: false,
  window_open: false,
};

/** The codes by which those who send tell of a refusal: the cause of a FAILED message, the error of a row, the reason for a skip. */
export interface Codes {
  /** One message, also of an agent or a follow-up. */
  MESSAGE: 'INBOX_INACTIVE' | 'PROVIDER_REJECTED' | 'BLOCKED' | 'OPTED_OUT' | 'TEST_MODE_BLOCKED' | 'WINDOW_EXPIRED';
  BULK: 'INBOX_INACTIVE' | 'BLOCKED' | 'OPTED_OUT' | 'TEST_MODE_BLOCKED' | 'ACTIVE_CONVERSATION' | 'NOT_DELIVERABLE';
  /** A campaign and its preview. */
  CAMPAIGN: 'BLOCKED' | 'OPTED_OUT' | 'INVALID_NUMBER' | 'NOT_TEST_NUMBER' | 'ACTIVE_CONVERSATION' | 'NOT_DELIVERABLE';
}
export type Caller = keyof Codes;

/** What is to be sent, and through what. */
export interface Asking<C extends Caller = Caller> {
  caller: C;
  channel: Pick<NamedChannel, 'can'>;
  inboxStatus: string;
  /** The people that an inbox in test mode may write to, by nameKey(); null for an inbox that is not in test mode. */
  testPeople: readonly string[] | null;
  contentType: ContentType;
  /** Whether open conversations may be interrupted. */
  writesToActive: boolean;
  /** The countries where the network delivers no template of this category. */
  undeliveredIn: readonly string[];
  /** The network's error codes that forbid another message to the contact for a day. */
  restingCodes: readonly string[];
}

export const nameKey = ({ kind, value }: Pick<Identity, 'kind' | 'value'>): string => `${kind} ${value}`;

interface AskedInbox {
  status: string;
  test_mode: { enabled: boolean; test_numbers: readonly string[] };
}

interface AskedMessage {
  contentType: ContentType;
  /** The category of the template, for a message that many get. */
  category?: string;
  writesToActive?: boolean;
}

/** Gathers what the rules need to know about a message, its inbox and its channel. Each recipient is then judged by it. */
export function ask<C extends Caller>(
  caller: C,
  channel: NamedChannel,
  { status, test_mode: { enabled, test_numbers } }: AskedInbox,
  { contentType, category, writesToActive = true }: AskedMessage,
): Asking<C> {
  const { undelivered = [], restingCodes = [] } = channel.templates ?? {};
  return {
    caller,
    channel,
    inboxStatus: status,
    testPeople: enabled ? test_numbers.flatMap((text) => readNames(channel, text).map(nameKey)) : null,
    contentType,
    writesToActive,
    undeliveredIn: undelivered.filter((each) => each.category === category).map(({ country }) => country),
    restingCodes: restingCodes.map(String),
  };
}

/** A fact that has this value; with `among`, whether its text is one of these. */
interface Condition {
  fact: keyof Facts;
  is: boolean | null;
  among?: readonly string[];
}

interface Rule {
  /** Callers without a code do not ask. */
  codes: Partial<Codes>;
  title: string;
  message: string | ((contentType: string) => string);
  /** Whom the rule refuses: everyone, no one, or those of whom the condition is true. */
  refuses: (asking: Asking) => boolean | Condition;
}

const all = <Code extends Codes['MESSAGE'] & Codes['BULK'] & Codes['CAMPAIGN']>(code: Code) => ({
  MESSAGE: code,
  BULK: code,
  CAMPAIGN: code,
});
const many = <Code extends Codes['BULK'] & Codes['CAMPAIGN']>(code: Code) => ({ BULK: code, CAMPAIGN: code });

/** The first rule that refuses a person is the one that is reported. */
export const RULES: readonly Rule[] = [
  {
    codes: { MESSAGE: 'INBOX_INACTIVE', BULK: 'INBOX_INACTIVE' },
    title: 'Inbox inactive',
    message: 'The inbox is deleted',
    refuses: ({ inboxStatus }) => inboxStatus !== 'ACTIVE',
  },
  {
    codes: { MESSAGE: 'PROVIDER_REJECTED' },
    title: 'Not sent',
    message: (contentType) => `The channel cannot send ${contentType}`,
    refuses: ({ channel, contentType }) => !channel.can.content.includes(contentType),
  },
  {
    codes: all('BLOCKED'),
    title: 'Contact blocked',
    message: 'The company has blocked the contact',
    refuses: () => ({ fact: 'blocked', is: true }),
  },
  {
    codes: all('OPTED_OUT'),
    title: 'Contact opted out',
    message: 'The contact has opted out',
    refuses: () => ({ fact: 'opted_out', is: true }),
  },
  {
    codes: { CAMPAIGN: 'INVALID_NUMBER' },
    title: 'No number',
    message: 'The network knows the contact neither by a number nor by an id',
    refuses: () => ({ fact: 'name', is: null }),
  },
  {
    codes: { MESSAGE: 'TEST_MODE_BLOCKED', BULK: 'TEST_MODE_BLOCKED', CAMPAIGN: 'NOT_TEST_NUMBER' },
    title: 'Test mode',
    message: 'The inbox is in test mode and this contact is not a test number',
    refuses: ({ testPeople }) => testPeople !== null && { fact: 'name', is: false, among: testPeople },
  },
  {
    codes: many('ACTIVE_CONVERSATION'),
    title: 'Active conversation',
    message: 'The contact has an open conversation in this inbox',
    refuses: ({ writesToActive }) => !writesToActive && { fact: 'is_engaged', is: true },
  },
  {
    codes: many('NOT_DELIVERABLE'),
    title: 'Not deliverable',
    message: 'The network delivers no template of this category in the country of the contact',
    refuses: ({ undeliveredIn }) =>
      undeliveredIn.length > 0 && { fact: 'country_code', is: true, among: undeliveredIn },
  },
  {
    codes: many('NOT_DELIVERABLE'),
    title: 'Not deliverable',
    message:
      'The network did not deliver a message to the contact within the last day, and does not accept another one so soon',
    refuses: ({ restingCodes }) => restingCodes.length > 0 && { fact: 'is_resting', is: true },
  },
  {
    codes: { MESSAGE: 'WINDOW_EXPIRED' },
    title: 'Window expired',
    message: 'The contact has not written in the last 24 hours; send a template',
    // The network takes templates at any time.
    refuses: ({ channel, contentType }) =>
      channel.can.window24h && contentType !== 'TEMPLATE' && { fact: 'window_open', is: false },
  },
];

export interface Refusal<C extends Caller = Caller> {
  code: Codes[C];
  title: string;
  message: string;
}

/** Returns why the message is not sent to this person; null when nothing speaks against it. */
export function findRefusal<C extends Caller>(facts: Facts, asking: Asking<C>): Refusal<C> | null {
  for (const { codes, title, message, refuses } of RULES) {
    const code = codes[asking.caller];
    if (code === undefined || !holds(refuses(asking), facts)) continue;
    return { code, title, message: typeof message === 'string' ? message : message(asking.contentType) };
  }
  return null;
}

function holds(condition: boolean | Condition, facts: Facts): boolean {
  if (typeof condition === 'boolean') return condition;
  const { fact, is, among } = condition;
  const value = facts[fact];
  return (among ? among.some((each) => each === value) : value) === is;
}

/** Writes findRefusal() as SQL: an expression for the code of the refusal, or null, from expressions for the facts. */
export function refusalSql(facts: FactsSql, asking: Asking, bind: Bind): string {
  const whens = RULES.flatMap(({ codes, refuses }) => {
    const code = codes[asking.caller];
    const condition = code !== undefined && refuses(asking);
    if (typeof condition === 'boolean') return condition ? [`when true then '${code}'`] : [];
    const { fact, is, among } = condition;
    const value = among ? `coalesce(${facts[fact]} = any(${bind(among, 'text[]')}), false)` : facts[fact];
    return [`when ${value} is ${is} then '${code}'`];
  });
  return `case ${whens.join(' ')} end`;
}
