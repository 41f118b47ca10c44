/**
 * Chooses the next messages of a campaign, reserves their slots and stores them, all in one transaction. Slots begin within a second, so a pause is
 * effective within a second. Only a message of which the database knows that its call begins is ever given to the network.
 */
import { repeatOvertaken } from '../../platform/store/overtaken.ts';
import { newId } from '../../platform/values/ids.ts';
import { reservePairs, reserveSlots } from '../../platform/work/pacing.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { holdMany } from '../contacts/by-phones.ts';
import { lockOpenOnes, openMany } from '../conversations/open-many.ts';
import { setCampaignMarks } from '../conversations/campaign-marks.ts';
import { reachPeople } from '../inboxes/portfolio.ts';
import { keepPlaces } from '../messages/late-places.ts';
import { storeTemplates } from '../messages/send-many.ts';
import { failUnsent, holdUnsent } from '../messages/settle.ts';
import { NOT_SENT } from './outcomes.ts';
import { planCandidates, type PlannedSend } from './plan.ts';
import {
  holdTurn,
  insertSends,
  listDue,
  lockDue,
  markCalled,
  markSkipped,
  type CalledSend,
  type DueEnrollment,
  type Skipped,
} from './portion-queries.ts';
import { openStep, type PlannedCall, type Run } from './run.ts';
import { setPaused } from './state-queries.ts';

// When the daily limit is reached, places become free a minute at a time.
const LIMIT_PAUSE_SECONDS = 600;

export interface Portion {
  calls: { call: PlannedCall; inMs: number }[];
  /** How long the next reservation may wait. */
  waitMs: number;
  /** The number of enrollments that were looked at: zero when none is due. */
  looked: number;
  /** True when no one may send any more: the campaign was paused or ended, or another worker has it. */
  isOver: boolean;
}

const OVER: Portion = { calls: [], waitMs: 0, looked: 0, isOver: true };
const IDLE: Portion = { calls: [], waitMs: 0, looked: 0, isOver: false };

/** When the last try fails too, this turn ends, and a later one takes the portion again. */
export const takePortion = (run: Run, most: number): Promise<Portion> =>
  repeatOvertaken(async () => {
    const due = await listDue(run.acting.read, run.campaign._id, most);
    for (const index of new Set(due.map(({ step }) => step))) await openStep(run, index);
    return run.acting.tx((tx) => takeOnce(tx, run, due));
  });

async function takeOnce(tx: TenantTx, run: Run, due: DueEnrollment[]): Promise<Portion> {
  if ((await holdTurn(tx, run.turn)) === 0) return OVER;
  if (due.length === 0) return IDLE;
  const { inbox } = run.sender;
  const contacts = due.map(({ contact }) => contact);
  await lockOpenOnes(tx, inbox._id, contacts);
  await holdMany(tx, contacts);
  await holdUnsent(
    tx,
    due.flatMap(({ message }) => message ?? []),
  );
  const candidates = await lockDue(
    tx,
    due.map(({ _id }) => _id),
    describeSender(run),
  );
  const { sends, skipped } = planCandidates(run, candidates);
  if (skipped.length > 0) await endSkipped(tx, skipped);
  const { granted, firstInMs, gapMs } = await reserve(tx, run, sends.length);
  const { reached, over } = await reach(tx, run, sends.slice(0, granted));
  if (over > 0 && reached.length === 0) {
    await setPaused(
      tx,
      run.campaign._id,
      { reason: 'NETWORK_LIMIT', resumeSeconds: LIMIT_PAUSE_SECONDS },
      run.turn.claimed_at,
    );
    return OVER;
  }
  const calls = await storeSends(tx, run, reached);
  const pairs =
    calls.length === 0
      ? new Map<string, number>()
      : await reservePairs(
          tx,
          run.sender.lane,
          calls.map(({ to }) => to.value),
        );
  return {
    calls: calls.map((call, place) => ({
      call,
      inMs: Math.max(firstInMs + place * gapMs, pairs.get(call.to.value) ?? 0),
    })),
    waitMs: findPause(sends.length, { granted, firstInMs, gapMs }),
    looked: due.length,
    isOver: false,
  };
}

/** What decides about a contact for this sender. */
const describeSender = ({ kit, sender: { inbox, channel } }: Run) => ({
  inbox: inbox._id,
  places: kit.channels.identityPlaces[channel.name] ?? {},
  restingCodes: channel.templates?.restingCodes?.map(String) ?? [],
});

// The next portion is taken before the slots of this one end.
const LEAD_MS = 300;
// A slot is granted at most a second before it begins, so the wait ends a little after that.
const SLACK_MS = 20;

/** Returns how long the next reservation may wait. */
function findPause(wanted: number, { granted, firstInMs, gapMs }: Reserved): number {
  if (wanted === 0) return 0;
  return granted === 0 ? firstInMs - 1_000 + SLACK_MS : firstInMs + granted * gapMs - LEAD_MS;
}

/** Ends enrollments that get nothing more, with the messages that waited to be sent again. */
async function endSkipped(tx: TenantTx, skipped: Skipped[]): Promise<void> {
  const waiting = skipped.flatMap(({ message }) => message ?? []);
  await failUnsent(tx, waiting, NOT_SENT);
  await markSkipped(tx, skipped);
}

interface Reserved {
  granted: number;
  firstInMs: number;
  gapMs: number;
}

/** Reserves slots of the campaign's own pace first, then those of the number. */
async function reserve(tx: TenantTx, { campaign, sender: { lane } }: Run, most: number): Promise<Reserved> {
  if (most === 0) return { granted: 0, firstInMs: 0, gapMs: 0 };
  const own = campaign.options.messages_per_minute;
  const rate = own === null ? lane.rate : Math.min(own / 60, lane.rate);
  const paced =
    own === null ? null : await reserveSlots(tx, { ...lane, number: `campaign ${campaign._id}`, rate }, most);
  if (paced?.granted === 0) return { granted: 0, firstInMs: paced.firstInMs, gapMs: 1_000 / rate };
  const { granted, firstInMs } = await reserveSlots(tx, lane, paced?.granted ?? most);
  return { granted, firstInMs: Math.max(firstInMs, paced?.firstInMs ?? 0), gapMs: 1_000 / rate };
}

interface ReachedSend extends PlannedSend {
  reached_at: string | null;
  reached_before: string | null;
}

/** Reserves places in the daily limit for contacts who have not written in the last 24 hours. A refused message has its place already. */
async function reach(
  tx: TenantTx,
  { sender: { portfolio } }: Run,
  sends: PlannedSend[],
): Promise<{ reached: ReachedSend[]; over: number }> {
  const isFree = ({ candidate }: PlannedSend): boolean => candidate.window_open || candidate.message !== null;
  const places = await reachPeople(
    tx,
    portfolio,
    sends.filter((send) => !isFree(send)).map(({ to }) => to.value),
  );
  const reached = sends.flatMap((send): ReachedSend[] => {
    const { reached_at, reached_before } = send.candidate;
    if (isFree(send)) return [{ ...send, reached_at, reached_before }];
    const place = places.get(send.to.value);
    return place ? [{ ...send, reached_at: place.reached_at, reached_before: place.reached_before }] : [];
  });
  return { reached, over: sends.length - reached.length };
}

async function storeSends(tx: TenantTx, run: Run, sends: ReachedSend[]): Promise<PlannedCall[]> {
  if (sends.length === 0) return [];
  const { campaign } = run;
  const fresh = sends.filter(({ candidate }) => candidate.message === null);
  const conversations = await openConversations(tx, run, fresh);
  const calls = sends.map((send): PlannedCall & { contact: string; isFresh: boolean } => {
    const { candidate, to, filled, reached_at, reached_before } = send;
    const named = campaign.steps[candidate.step]?.template ?? { name: '', language: '' };
    return {
      enrollment: candidate._id,
      step: candidate.step,
      refusals: candidate.refusals,
      contact: candidate.contact,
      conversation: conversations.get(candidate._id) ?? candidate.conversation ?? '',
      message: candidate.message ?? newId(),
      isFresh: candidate.message === null,
      to,
      content: filled.content,
      template: { name: named.name, language: named.language, components: filled.components },
      reached_at,
      reached_before,
    };
  });
  const stored = calls.filter(({ isFresh }) => isFresh);
  await storeMessages(tx, run, stored);
  await insertSends(tx, campaign._id, stored);
  await markCalled(tx, calls, campaign.steps.length - 1);
  const places = stored.map(({ message, to, reached_at, reached_before }) => ({
    message,
    person: to.value,
    reached_at,
    reached_before,
  }));
  tx.awaitAtCommit(keepPlaces(tx, run.sender.portfolio, places));
  return calls;
}

/** Opens the conversations, and names the campaign in them. Returns them by enrollment. */
async function openConversations(
  tx: TenantTx,
  { campaign, sender: { inbox } }: Run,
  fresh: ReachedSend[],
): Promise<Map<string, string>> {
  const { agent, owner } = campaign;
  const { default_owner, default_agent, channel, test_mode } = inbox;
  const at = { inbox: inbox._id, channel, is_test: test_mode.enabled };
  const enrollments = new Map(fresh.map(({ candidate }) => [candidate.contact, candidate._id]));
  const ids = await openMany(
    tx,
    {
      ...at,
      default_owner,
      default_agent,
      owner,
      agent,
      attendant: null,
      keeps: true,
      mark: async (opened) => {
        const marks = opened.map(({ _id, contact }) => ({
          conversation: _id,
          enrollment: enrollments.get(contact) ?? '',
        }));
        await setCampaignMarks(tx, campaign._id, marks);
      },
    },
    fresh.map(({ candidate: { contact, conversation } }) => ({ contact, conversation })),
  );
  return new Map(fresh.map(({ candidate }, place) => [candidate._id, ids[place] ?? '']));
}

async function storeMessages(
  tx: TenantTx,
  { sender: { inbox }, acting, steps }: Run,
  calls: (PlannedCall & CalledSend)[],
): Promise<void> {
  const at = { inbox: inbox._id, channel: inbox.channel, is_test: inbox.test_mode.enabled };
  for (const [index, group] of Map.groupBy(calls, ({ step }) => step)) {
    const { header = null, cards = new Map<string, unknown>() } = steps.get(index)?.opened.files ?? {};
    await storeTemplates(
      tx,
      { actor: acting.actor, inbox: at, header, cards: [...cards.keys()] },
      group.map(({ message, conversation, contact, content, template, enrollment }) => ({
        _id: message,
        conversation,
        contact,
        content,
        template,
        enrollment,
      })),
    );
  }
}
