/** How many people a business may write to in a day outside of their windows: asked for, and reported by the network itself. */
import type { Inbound } from '../channel.ts';
import type { Graph } from './graph.ts';
import { makeUnreadable } from './message.ts';
import type { WapConfig } from './settings.ts';
import { asDate, asLabel, asNumber, type Json } from '../values.ts';

const FIELD = 'whatsapp_business_manager_messaging_limit';
const UNLIMITED = -1;

export async function readPeopleLimit(graph: Graph, config: WapConfig, signal: AbortSignal): Promise<number | null> {
  const { phone_number_id: number, business_token: token } = config;
  const answer = await graph({ method: 'GET', path: [number], query: { fields: FIELD }, token, signal });
  if (answer.outcome === 'unknown') throw new Error(answer.reason);
  return answer.outcome === 'done' ? parseLimit(answer.body[FIELD]) : null;
}

/** Reads TIER_250, TIER_2K, TIER_UNLIMITED, and any whole number; null for what is none of these. */
function parseLimit(value: unknown): number | null {
  const number = asNumber(value) ?? asLabel(value);
  const [, digits, thousands] = /^(?:TIER_)?(-?\d{1,9})(K?)$/i.exec(String(number ?? '')) ?? [];
  if (digits !== undefined) return Math.max(UNLIMITED, Number(digits) * (thousands ? 1_000 : 1));
  return /^(?:TIER_)?UNLIMITED$/i.test(String(number)) ? UNLIMITED : null;
}

/** Reads `business_capability_update`. Older versions of the network have no limit of the whole business in it. */
export function* readCapability(change: {
  account: string | null;
  time: unknown;
  value: Json;
}): Generator<Inbound | null> {
  const { account, time, value } = change;
  const people = parseLimit(value.max_daily_conversations_per_business);
  if (account === null) return yield makeUnreadable(null, 'news of a limit name no account', value);
  if (people === null) return yield null;
  yield { kind: 'people-limit', account, timestamp: asDate(time) ?? new Date(), people };
}
