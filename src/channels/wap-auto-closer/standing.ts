/**
 * How the network rates a number: how many people its business may write to in a day outside of their windows, the quality of its messages,
 * and whether the network limits it. It is asked for, and the network reports that it has changed.
 */
import type { Inbound } from '../channel.ts';
import type { NumberStanding, SendingProblem } from '../limits.ts';
import type { Graph } from './graph.ts';
import { makeUnreadable } from './message.ts';
import type { WapConfig } from './settings.ts';
import { asDate, asLabel, asList, asNumber, asRecord, asText, type Json } from '../values.ts';

const LIMIT = 'whatsapp_business_manager_messaging_limit';
const FIELDS = `${LIMIT},quality_rating,health_status`;
const UNLIMITED = -1;
/** A number belongs to an account, a business and an app, so the network names a few causes; a list without an end is no use to people. */
const MOST_PROBLEMS = 10;
/** The network's explanations are below 300 characters. */
const MOST_CHARACTERS = 500;

export async function readStanding(
  graph: Graph,
  config: WapConfig,
  signal: AbortSignal,
): Promise<NumberStanding | null> {
  const { phone_number_id: number, business_token: token } = config;
  const answer = await graph({ method: 'GET', path: [number], query: { fields: FIELDS }, token, signal });
  if (answer.outcome === 'unknown') throw new Error(answer.reason);
  if (answer.outcome === 'refused') return null;
  const health = asRecord(answer.body.health_status);
  return {
    people: parseLimit(answer.body[LIMIT]),
    quality: QUALITIES.get(asLabel(answer.body.quality_rating)?.toUpperCase() ?? '') ?? null,
    sending: SENDING.get(asLabel(health?.can_send_message)?.toUpperCase() ?? '') ?? null,
    problems: asList(health?.entities).flatMap(readProblems).slice(0, MOST_PROBLEMS),
  };
}

/** The network also says UNKNOWN and NA, for a number that has not sent enough. */
const QUALITIES = new Map<string, NonNullable<NumberStanding['quality']>>([
  ['GREEN', 'GREEN'],
  ['YELLOW', 'YELLOW'],
  ['RED', 'RED'],
]);

const SENDING = new Map<string, NonNullable<NumberStanding['sending']>>([
  ['AVAILABLE', 'AVAILABLE'],
  ['LIMITED', 'LIMITED'],
  ['BLOCKED', 'BLOCKED'],
]);

/** Reads why one of the things to which a number belongs is limited or blocked. */
function readProblems(element: unknown): SendingProblem[] {
  const entity = asRecord(element);
  const at = asLabel(entity?.entity_type) ?? '';
  const shorten = (value: unknown): string => (asText(value) ?? '').trim().slice(0, MOST_CHARACTERS).toWellFormed();
  return asList(entity?.errors).flatMap((each) => {
    const error = asRecord(each);
    const description = shorten(error?.error_description);
    if (description === '') return [];
    const code = asNumber(error?.error_code);
    return [
      { at, code: code === null ? null : String(code), description, solution: shorten(error?.possible_solution) },
    ];
  });
}

/** Reads TIER_250, TIER_2K, TIER_UNLIMITED, and any whole number; null for what is none of these. */
function parseLimit(value: unknown): number | null {
  const number = asNumber(value) ?? asLabel(value);
  const [, digits, thousands] = /^(?:TIER_)?(-?\d{1,9})(K?)$/i.exec(String(number ?? '')) ?? [];
  if (digits !== undefined) return Math.max(UNLIMITED, Number(digits) * (thousands ? 1_000 : 1));
  return /^(?:TIER_)?UNLIMITED$/i.test(String(number)) ? UNLIMITED : null;
}

/** A change of an account, as parse.ts takes it from a notification. */
interface AccountChange {
  account: string | null;
  time: unknown;
  value: Json;
}

/** Reads `business_capability_update`. Older versions of the network have no limit of the whole business in it. */
export function* readCapability(change: AccountChange): Generator<Inbound | null> {
  const { account, time, value } = change;
  const people = parseLimit(value.max_daily_conversations_per_business);
  if (account === null) return yield makeUnreadable(null, 'news of a limit name no account', value);
  if (people === null) return yield null;
  yield { kind: 'people-limit', account, timestamp: asDate(time) ?? new Date(), people };
}

/**
 * Reads `phone_number_quality_update`. It names the number by its digits and says no rating, only that something has changed, so the
 * numbers of the account are asked for.
 */
export function* readQualityNews({ account, time, value }: AccountChange): Generator<Inbound | null> {
  if (account === null) return yield makeUnreadable(null, 'news of a quality name no account', value);
  yield { kind: 'account', account, timestamp: asDate(time) ?? new Date(), coexistence: null };
}
