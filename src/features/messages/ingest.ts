/** Applies the statuses, edits and revocations of callbacks to messages. An update is parked until its message is stored. */
import type { Identity } from '../../channels/identity.ts';
import { learnRecipients } from '../contacts/ingest-facts.ts';
import { emitLast, emitRecords, type EventItem, type EventName } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { advance, type Life, type StatusReport } from './lifecycle.ts';
import { correctMessages, readMessageRecords, type Correction } from './ingest-correction-queries.ts';
import {
  markPlacesDue,
  lockLives,
  writeLives,
  type AnyTx,
  type MessageLife,
  type MessageKey,
} from './ingest-queries.ts';
import { moveEnrollments, moveFailed } from './ingest-enrollments.ts';
import { failUnknown } from './ingest-failure-queries.ts';
import { lockEchoThreads, releaseEchoes, replaceEchoes, type Takeover } from './ingest-echo-queries.ts';
import { findCrossed, parkUpdates, takeParked, type Parked } from './ingest-parked-queries.ts';
import type { Message, MessageStatus } from './schemas.ts';

export interface StatusNews extends MessageKey, StatusReport {
  /** Our own message id, when the network returned it. */
  message: string | null;
  /** The recipient's names, if the network sends them; statuses that an earlier release parked have none. */
  recipient?: Identity[];
  /** False on channels whose failures emit no MESSAGE_FAILED. */
  reportsFailures: boolean;
}

export interface Applied {
  applied: number;
  parked: number;
}

/** A message that a status has changed, with the status that it had before. */
export interface Advanced {
  before: MessageStatus;
  message: Message;
}

const joinKey = (key: MessageKey): string => `${key.company} ${key.inbox} ${key.external_id}`;

/**
 * Applies statuses in the given order; a status of an unknown message is parked. Returns the messages that advanced as well, so that a
 * later room can count them in the same transaction.
 */
export async function applyStatuses(tx: AnyTx, news: StatusNews[]): Promise<Applied & { advanced: Advanced[] }> {
  if (news.length === 0) return { applied: 0, parked: 0, advanced: [] };
  const [, lives] = await lockMessages(tx, news);
  const byExternal = new Map(
    lives.filter((life) => life.external_id).map((life) => [joinKey(life as MessageKey), life]),
  );
  const byOurs = new Map(lives.map((life) => [`${life.inbox} ${life._id}`, life]));
  const steps = new Map<string, Progress>();
  const takeovers: Takeover[] = [];
  const unmatched: StatusNews[] = [];
  for (const item of news) {
    const holder = byExternal.get(joinKey(item));
    const ours = byOurs.get(`${item.inbox} ${item.message}`) ?? holder;
    if (!ours) {
      unmatched.push(item);
      continue;
    }
    const isTaken = holder !== undefined && holder !== ours;
    const echo = isTaken && holder.is_echo && ours.external_id === null ? holder : null;
    // An id that another message of ours has stays with it: two messages with the same words may have swapped their ids.
    follow(steps, ours, isTaken && !echo ? { ...item, external_id: null } : item);
    if (!echo) continue;
    takeovers.push({ echo, ours });
    byExternal.set(joinKey(item), ours);
    for (const report of listReports(steps.get(echo._id)?.life ?? echo)) follow(steps, ours, { ...item, ...report });
    steps.delete(echo._id);
  }
  if (takeovers.length > 0) await releaseEchoes(tx, takeovers);
  const advanced = await settle(tx, [...steps.values()]);
  // Our messages have the ids and statuses of the echoes now.
  if (takeovers.length > 0) await replaceEchoes(tx, takeovers);
  await learnRecipients(tx, news);
  await park(tx, unmatched);
  return { applied: news.length - unmatched.length, parked: unmatched.length, advanced };
}

/** Answers of the network may name an id that an echo has, whose conversation is locked before the messages. */
function lockMessages(tx: AnyTx, news: StatusNews[]): Promise<[unknown, MessageLife[]]> {
  const answers = news.filter(({ status }) => status === 'ACCEPTED' || status === 'HELD');
  return Promise.all([answers.length > 0 ? lockEchoThreads(tx, answers) : null, lockLives(tx, news)]);
}

/** The statuses that an echo has reached, for the message that takes its place. */
function listReports({ delivered_at, read_at, failed_at, errors, failure_reason }: Life): StatusReport[] {
  const none = { errors: [], failure_reason: null };
  return [
    ...(delivered_at === null ? [] : [{ status: 'DELIVERED' as const, at: delivered_at, ...none }]),
    ...(read_at === null ? [] : [{ status: 'READ' as const, at: read_at, ...none }]),
    ...(failed_at === null ? [] : [{ status: 'FAILED' as const, at: failed_at, errors, failure_reason }]),
  ];
}

interface Progress {
  before: MessageLife;
  life: MessageLife;
  events: { name: EventName; life: Life }[];
}

type Report = StatusReport & Pick<StatusNews, 'reportsFailures'> & { external_id: string | null };

function follow(steps: Map<string, Progress>, life: MessageLife, news: Report): void {
  const progress = steps.get(life._id) ?? { before: life, life, events: [] };
  const step = advance(progress.life, news);
  progress.life = { ...progress.life, ...step.life, external_id: progress.life.external_id ?? news.external_id };
  for (const name of step.events) {
    if (name === 'MESSAGE_FAILED' && !news.reportsFailures) continue;
    progress.events.push({ name, life: name === 'MESSAGE_SENT' ? accepted(step.life) : step.life });
  }
  steps.set(life._id, progress);
}

/** Every status proves that the network had accepted the message before, so MESSAGE_SENT shows the message as it was then. */
const accepted = (life: Life): Life => ({
  ...life,
  status: 'SENT',
  errors: [],
  failure_reason: null,
  failed_at: null,
  delivered_at: null,
  read_at: null,
});

/** Stores the messages that changed and emits their events. Each event shows the message as it was after its step. */
async function settle(tx: AnyTx, progresses: Progress[]): Promise<Advanced[]> {
  const changed = progresses.filter(({ before, life }) => JSON.stringify(before) !== JSON.stringify(life));
  if (changed.length === 0) return [];
  const lives = changed.map(({ life }) => life);
  // Both are sent at once, because the messages are locked.
  const [messages] = await Promise.all([
    writeLives(tx, lives),
    moveEnrollments(
      tx,
      changed.map(({ before, life }) => ({ before, after: life })),
    ),
  ]);
  const written = new Map(messages.map((message) => [message._id, message]));
  const items = changed.flatMap(({ before, events, life }) => {
    const message = written.get(life._id);
    return message ? events.map((event) => eventItem(message, event, before)) : [];
  });
  await emitLast(tx, items);
  const failed = changed.flatMap(({ before, life }) =>
    before.status !== 'FAILED' && life.status === 'FAILED' ? [life] : [],
  );
  if (failed.length > 0) tx.awaitAtCommit(markPlacesDue(tx, failed));
  return changed.flatMap(({ before, life }) => {
    const message = written.get(life._id);
    return message && before.status !== life.status ? [{ before: before.status, message }] : [];
  });
}

function eventItem(message: Message, event: { name: EventName; life: Life }, before: Life): EventItem {
  const { status, errors, sent_at, delivered_at, read_at, failed_at, failure_reason } = event.life;
  const { failure_reason: _final, ...rest } = message;
  return {
    event: event.name,
    data: {
      ...rest,
      status,
      sent_at,
      delivered_at,
      read_at,
      failed_at,
      // The API promises that MESSAGE_FAILED has the `errors` from before the failure; its cause is in failure_reason.
      errors: event.name === 'MESSAGE_FAILED' ? before.errors : errors,
      ...(failure_reason ? { failure_reason } : {}),
    } as Message,
  };
}

async function park(tx: AnyTx, unmatched: StatusNews[]): Promise<void> {
  if (unmatched.length === 0) return;
  await parkUpdates(
    tx,
    unmatched.map((item) => ({
      company: item.company,
      inbox: item.inbox,
      external_id: item.external_id,
      _id: newId(),
      kind: 'STATUS' as const,
      at: item.at,
      payload: {
        status: item.status,
        recipient: item.recipient,
        errors: item.errors,
        failure_reason: item.failure_reason,
        reportsFailures: item.reportsFailures,
      },
    })),
  );
}

/** Applies edits and revocations, and emits them; one of an unknown message is parked. */
export async function applyCorrections(tx: AnyTx, corrections: Correction[]): Promise<Applied> {
  if (corrections.length === 0) return { applied: 0, parked: 0 };
  const chosen = latest(corrections);
  const corrected = await correctMessages(tx, [...chosen.values()]);
  const found = new Set(corrected.map(joinKey));
  const unmatched = corrections.filter((correction) => !found.has(joinKey(correction)));
  if (unmatched.length > 0) {
    await parkUpdates(
      tx,
      unmatched.map(({ company, inbox, external_id, kind, at, isHistory, from, content_type, content, media }) => ({
        company,
        inbox,
        external_id,
        kind,
        at,
        _id: newId(),
        payload: {
          // The writer is stored so that erasing this contact finds and deletes the parked edit.
          from,
          isHistory,
          content_type,
          content,
          media,
        },
      })),
    );
  }
  await emitCorrections(tx, corrected, chosen);
  return { applied: corrections.length - unmatched.length, parked: unmatched.length };
}

async function emitCorrections(
  tx: AnyTx,
  corrected: Awaited<ReturnType<typeof correctMessages>>,
  chosen: Map<string, Correction>,
): Promise<void> {
  const items = corrected.flatMap((about) => {
    const correction = chosen.get(joinKey(about));
    if (!about.isChanged || !correction || correction.isHistory) return [];
    return [{ event: correction.kind === 'EDIT' ? ('MESSAGE_EDITED' as const) : ('MESSAGE_REVOKED' as const), about }];
  });
  await emitRecords(tx, items, (ids) =>
    readMessageRecords(
      tx,
      corrected.filter(({ _id }) => ids.includes(_id)),
    ),
  );
}

/** Chooses one correction per message, because an UPDATE applies only one: a revocation, or else the newest edit. */
function latest(corrections: Correction[]): Map<string, Correction> {
  const chosen = new Map<string, Correction>();
  for (const correction of corrections) {
    const rival = chosen.get(joinKey(correction));
    const wins = !rival || (rival.kind === 'EDIT' && (correction.kind === 'REVOKE' || correction.at > rival.at));
    if (wins) chosen.set(joinKey(correction), correction);
  }
  return chosen;
}

/** Takes the updates that wait for these messages. */
export const takeWaiting = async (tx: AnyTx, keys: MessageKey[]): Promise<Parked[]> =>
  keys.length === 0 ? [] : takeParked(tx, keys);

/** Applies updates that waited for their messages, once these are stored. */
export async function applyWaiting(tx: AnyTx, parked: Parked[]): Promise<void> {
  const statuses = parked.filter((item) => item.kind === 'STATUS');
  await applyStatuses(
    tx,
    statuses.map((item) => ({ ...item, ...item.payload, message: null }) as unknown as StatusNews),
  );
  const corrections = parked.filter((item) => item.kind !== 'STATUS');
  await applyCorrections(
    tx,
    corrections.map((item) => ({ ...item, ...item.payload }) as unknown as Correction),
  );
}

/** Applies updates that stayed parked because they were stored at the same moment as their message. Returns the number of messages. */
export async function applyCrossed(tx: SystemTx, backMinutes: number): Promise<number> {
  const crossed = await findCrossed(tx, backMinutes);
  tx.concerns(crossed.map(({ company }) => company));
  await applyWaiting(tx, await takeWaiting(tx, crossed));
  return crossed.length;
}

/** Marks messages as FAILED whose outcome stayed unknown for 24 hours. Returns their number. */
export async function giveUpUnknown(tx: SystemTx): Promise<number> {
  const message = 'The network was called, but never answered';
  const cause = { code: 'PROVIDER_UNREACHABLE', title: 'Outcome unknown', message, details: '' };
  const failed = await failUnknown(tx, [cause]);
  await moveFailed(tx, failed);
  tx.concerns(failed.map(({ company }) => company));
  return failed.length;
}
