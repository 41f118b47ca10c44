/**
 * Takes the next portion of a source: decides who gets a message, reserves places in the daily limit and slots of the number, stores the messages,
 * and notes that their calls begin, all in one transaction. Only a message of which the database knows that its call begins is ever given to the
 * network. Slots begin within a second, so a pause is effective within a second.
 */
import { ChangedMeanwhile, repeatOvertaken } from '../../platform/store/overtaken.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { newId } from '../../platform/values/ids.ts';
import { reservePairs, reserveSlots } from '../../platform/work/pacing.ts';
import { holdMany } from '../contacts/by-phones.ts';
import { lockOpenOnes, openConversations } from '../conversations/open-many.ts';
import { reachPeople, returnPlaces, type Reached } from '../inboxes/portfolio.ts';
import { keepPlaces } from '../messages/late-places.ts';
import { storeTemplates } from '../messages/send-many.ts';
import { holdUnsent } from '../messages/settle.ts';
import { planCandidates, type PlannedSend } from './plan.ts';
import { keepSeeing } from './queries.ts';
import { SourceLost, type Call, type Candidate, type DueRows, type SendSource } from './source.ts';

/** Times are those of performance.now(). */
export interface Portion<C> {
  calls: { call: Call<C>; atMs: number }[];
  /** Until when the next reservation may wait. */
  nextMs: number;
  /** True when no row is due. */
  isIdle: boolean;
}

/** Throws SourceLost, or the error of the last attempt; the rows are still due then. */
export const takePortion = <C extends Candidate>(source: SendSource<C>, most: number): Promise<Portion<C>> =>
  repeatOvertaken(async () => {
    const rows = await source.listDue(most);
    const portion = await source.acting.tx((tx) => takeOnce(tx, source, rows));
    if (portion === null) throw new SourceLost();
    return portion;
  });

/** Returns null when the source may not send any more. */
async function takeOnce<C extends Candidate>(
  tx: TenantTx,
  source: SendSource<C>,
  rows: DueRows<C>,
): Promise<Portion<C> | null> {
  if (!(await source.hold(tx))) return null;
  if (rows.isEmpty) return { calls: [], nextMs: 0, isIdle: true };
  const candidates = await lockCandidates(tx, source, rows);
  const { sends, refused } = planCandidates(source, candidates);
  const { reached, beyond } = await reach(tx, source, sends);
  const { beyondLimit } = source;
  const isWaiting = typeof beyondLimit === 'function';
  if (!isWaiting) refused.push(...beyond.map(({ row }) => ({ row, ...beyondLimit, isUnfilled: false })));
  if (refused.length > 0) await source.refuse(tx, refused);
  if (isWaiting && beyond.length > 0 && reached.length === 0) {
    await beyondLimit(tx);
    return null;
  }
  const slots = await reserve(tx, source, reached.length);
  const calls = await storeCalls(tx, source, reached.slice(0, slots.granted));
  await returnPlaces(tx, source.sender.portfolio, reached.slice(slots.granted).filter(isFresh).map(toPlace));
  const people = calls.map(({ to }) => to.value);
  const pairs = calls.length === 0 ? new Map<string, number>() : await reservePairs(tx, source.sender.lane, people);
  const pairedMs = performance.now();
  await source.finishPortion?.(tx, refused);
  return {
    calls: calls.map((call, place) => ({
      call,
      atMs: Math.max(slots.firstMs + place * slots.gapMs, pairedMs + (pairs.get(call.to.value) ?? 0)),
    })),
    nextMs: findNext(reached.length, slots),
    isIdle: false,
  };
}

/** Locks what the rows concern in the order of all operations: conversations, contacts, messages, and then the rows. */
async function lockCandidates<C extends Candidate>(
  tx: TenantTx,
  source: SendSource<C>,
  { contacts, messages, lock }: DueRows<C>,
): Promise<C[]> {
  if (contacts.length > 0) {
    await lockOpenOnes(tx, source.sender.inbox._id, contacts);
    await holdMany(tx, contacts);
  }
  await holdUnsent(tx, messages);
  const candidates = await lock(tx);
  const held = new Set(contacts);
  if (candidates.some(({ contact }) => contact !== null && !held.has(contact))) throw new ChangedMeanwhile('A contact');
  return candidates;
}

// The next portion is taken before the slots of this one end. Reserved slots are lost when the process dies.
const LEAD_MS = 200;
// A slot is granted at most a second before it begins, so the wait ends a little after that.
const SLACK_MS = 20;

/** Returns until when the next reservation may wait. */
function findNext(wanted: number, { granted, firstMs, gapMs }: Slots): number {
  if (wanted === 0) return 0;
  return granted === 0 ? firstMs - 1_000 + SLACK_MS : firstMs + granted * gapMs - LEAD_MS;
}

interface Slots {
  granted: number;
  /** The time of the first slot. The messages are stored while it is awaited. */
  firstMs: number;
  gapMs: number;
}

/** Reserves slots of the source's own pace first, then those of the number. */
async function reserve<C extends Candidate>(
  tx: TenantTx,
  { pace, sender: { lane } }: SendSource<C>,
  most: number,
): Promise<Slots> {
  if (most === 0) return { granted: 0, firstMs: 0, gapMs: 0 };
  const rate = Math.min(pace?.rate ?? lane.rate, lane.rate);
  const gapMs = 1_000 / rate;
  const own = pace && (await reserveSlots(tx, { ...lane, number: pace.name, rate }, most));
  if (own?.granted === 0) return { granted: 0, firstMs: performance.now() + own.firstInMs, gapMs };
  const { granted, firstInMs } = await reserveSlots(tx, lane, own?.granted ?? most);
  return { granted, firstMs: performance.now() + Math.max(firstInMs, own?.firstInMs ?? 0), gapMs };
}

interface ReachedSend<C> extends PlannedSend<C> {
  reached_at: string | null;
  reached_before: string | null;
}

const isFresh = <C extends Candidate>({ row }: { row: C }): boolean => row.message === null;

export const toPlace = ({
  to,
  reached_at,
  reached_before,
}: Pick<ReachedSend<unknown>, 'to' | keyof Omit<Reached, 'person'>>): Reached => ({
  person: to.value,
  reached_at,
  reached_before,
});

/** Reserves places in the daily limit for people who have not written in the last 24 hours. A message that was refused for the moment has its place. */
async function reach<C extends Candidate>(
  tx: TenantTx,
  { sender: { portfolio } }: SendSource<C>,
  sends: PlannedSend<C>[],
): Promise<{ reached: ReachedSend<C>[]; beyond: PlannedSend<C>[] }> {
  const asked = sends.filter((send) => isFresh(send) && !send.row.window_open);
  const places = await reachPeople(
    tx,
    portfolio,
    asked.map(({ to }) => to.value),
  );
  const needsPlace = new Set(asked);
  const beyond = asked.filter(({ to }) => !places.has(to.value));
  const left = new Set(beyond);
  const reached = sends
    .filter((send) => !left.has(send))
    .map((send) => {
      const { reached_at = null, reached_before = null } = needsPlace.has(send)
        ? (places.get(send.to.value) ?? {})
        : send.row;
      return { ...send, reached_at, reached_before };
    });
  return { reached, beyond };
}

async function storeCalls<C extends Candidate>(
  tx: TenantTx,
  source: SendSource<C>,
  sends: ReachedSend<C>[],
): Promise<Call<C>[]> {
  if (sends.length === 0) return [];
  const planned = sends.map(({ row, to, filled: { content, components }, reached_at, reached_before }): Call<C> => ({
    row,
    contact: row.contact ?? '',
    conversation: row.conversation ?? '',
    message: row.message ?? newId(),
    to,
    content,
    template: { ...source.files(row).template, components },
    reached_at,
    reached_before,
  }));
  const fresh = await storeFresh(tx, source, planned.filter(isFresh));
  const stored = new Map(fresh.map((call) => [call.row, call]));
  const calls = planned.map((call) => stored.get(call.row) ?? call);
  await source.noteCalls(tx, calls, fresh);
  const places = fresh.map((call) => ({ message: call.message, ...toPlace(call) }));
  tx.awaitAtCommit(keepPlaces(tx, source.sender.portfolio, places));
  return calls;
}

/**
 * Stores new messages as QUEUED, with their contacts and conversations. A new contact or conversation shows its message from the beginning,
 * because each further change of it would write it again. Returns the messages with their contacts and conversations.
 */
async function storeFresh<C extends Candidate>(
  tx: TenantTx,
  source: SendSource<C>,
  calls: Call<C>[],
): Promise<Call<C>[]> {
  const { _id: inbox, channel, test_mode, default_agent, default_team } = source.sender.inbox;
  const { agent, keeps } = source.assignment;
  // A source may be open for hours, and these users may have lost the inbox since.
  const named = [source.assignment.owner, source.assignment.attendant, source.sender.inbox.default_owner];
  const [owner, attendant, default_owner = null] = await keepSeeing(tx, inbox, named);
  const missing = calls.flatMap(({ row }) => (row.contact === null ? [row] : []));
  const created = missing.length === 0 ? [] : await source.createContacts?.(tx, missing);
  const contacts = new Map(missing.map((row, place) => [row, created?.[place] ?? '']));
  const partners = calls.map(({ row, contact, message }) => ({
    contact: contacts.get(row) ?? contact,
    conversation: row.conversation,
    first: { message, campaign: source.campaign, enrollment: row.enrollment ?? null },
  }));
  let stored: Call<C>[] = [];
  const store = async (conversations: { _id: string; contact: string }[]): Promise<void> => {
    stored = calls.map((call, place) => {
      const { _id: conversation = '', contact = '' } = conversations[place] ?? {};
      return { ...call, conversation, contact };
    });
    await storeMessages(tx, source, stored);
    const marked = stored.filter(({ row }) => row.conversation !== null);
    if (marked.length > 0) await source.mark?.(tx, marked);
  };
  await openConversations(
    tx,
    {
      inbox,
      channel,
      is_test: test_mode.enabled,
      default_owner,
      default_agent,
      default_team,
      keeps,
      owner: owner ?? undefined,
      agent: agent ?? undefined,
      attendant: attendant ?? undefined,
      store,
    },
    partners,
  );
  return stored;
}

async function storeMessages<C extends Candidate>(
  tx: TenantTx,
  source: SendSource<C>,
  calls: Call<C>[],
): Promise<void> {
  const { _id: inbox, channel, test_mode } = source.sender.inbox;
  const at = { inbox, channel, is_test: test_mode.enabled };
  for (const [{ header, cards }, group] of Map.groupBy(calls, ({ row }) => source.files(row).files)) {
    await storeTemplates(
      tx,
      { actor: source.acting.actor, inbox: at, header, cards: [...(cards ?? new Map<string, unknown>()).keys()] },
      group.map(({ row: { enrollment, ...known }, message: _id, conversation, contact, content, template }) => ({
        opens: known.conversation === null,
        introduces: known.contact === null,
        _id,
        conversation,
        contact,
        content,
        template,
        ...(enrollment !== undefined && { enrollment }),
      })),
    );
  }
}
