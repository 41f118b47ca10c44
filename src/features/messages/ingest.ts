/** The messages' part of ingestion: statuses, edits and revocations, parked while their message is not there yet. */
import { learnIdentities } from '../contacts/ingest-queries.ts';
import { emit, type EventItem, type EventName } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { advance, type Life, type StatusReport } from './lifecycle.ts';
import {
  correctMessages,
  failUnknown,
  lockLives,
  writeLives,
  type AnyTx,
  type Correction,
  type MessageLife,
  type MessageKey,
} from './ingest-queries.ts';
import { findCrossed, parkUpdates, takeParked } from './ingest-parked-queries.ts';
import type { Message } from './schemas.ts';

export interface StatusNews extends MessageKey, StatusReport {
  /** Our own id, when the network returned it. */
  message: string | null;
  /** The network's own id of the recipient, where it tells one; what was parked before it did has none. */
  bsuid?: string | null;
  /** False on channels whose failures make no MESSAGE_FAILED. */
  reportsFailures: boolean;
}

export interface Applied {
  applied: number;
  parked: number;
}

const joinKey = (key: MessageKey): string => `${key.company} ${key.inbox} ${key.external_id}`;

/** Applies statuses in the order given; those of unknown messages wait for them. */
export async function applyStatuses(tx: AnyTx, news: StatusNews[]): Promise<Applied> {
  if (news.length === 0) return { applied: 0, parked: 0 };
  const lives = await lockLives(tx, news);
  const byExternal = new Map(
    lives.filter((life) => life.external_id).map((life) => [joinKey(life as MessageKey), life]),
  );
  const byOurs = new Map(lives.map((life) => [`${life.inbox} ${life._id}`, life]));
  const steps = new Map<string, Progress>();
  const unmatched: StatusNews[] = [];
  for (const item of news) {
    const life = byExternal.get(joinKey(item)) ?? byOurs.get(`${item.inbox} ${item.message}`);
    if (life) follow(steps, life, item);
    else unmatched.push(item);
  }
  await settle(tx, [...steps.values()]);
  await learnRecipients(tx, news);
  await park(tx, unmatched);
  return { applied: news.length - unmatched.length, parked: unmatched.length };
}

/** Under which id the network knows a recipient: what the person writes without a number later finds the same contact. */
async function learnRecipients(tx: AnyTx, news: StatusNews[]): Promise<void> {
  const told = news.flatMap((item) => (item.bsuid ? [{ ...item, value: item.bsuid }] : []));
  if (told.length > 0) await learnIdentities(tx, told);
}

interface Progress {
  before: MessageLife;
  life: MessageLife;
  events: { name: EventName; life: Life }[];
}

function follow(steps: Map<string, Progress>, life: MessageLife, news: StatusNews): void {
  const progress = steps.get(life._id) ?? { before: life, life, events: [] };
  const step = advance(progress.life, news);
  progress.life = { ...progress.life, ...step.life, external_id: progress.life.external_id ?? news.external_id };
  for (const name of step.events) {
    if (name === 'MESSAGE_FAILED' && !news.reportsFailures) continue;
    progress.events.push({ name, life: name === 'MESSAGE_SENT' ? accepted(step.life) : step.life });
  }
  steps.set(life._id, progress);
}

/** Any word of the network proves that it accepted the message before: MESSAGE_SENT tells that moment. */
const accepted = (life: Life): Life => ({
  ...life,
  status: 'SENT',
  errors: [],
  failure_reason: null,
  failed_at: null,
  delivered_at: null,
  read_at: null,
});

/** Writes what changed and tells it. Each event shows the message as it was at that step. */
async function settle(tx: AnyTx, progresses: Progress[]): Promise<void> {
  const changed = progresses.filter(({ before, life }) => JSON.stringify(before) !== JSON.stringify(life));
  if (changed.length === 0) return;
  const written = new Map(
    (
      await writeLives(
        tx,
        changed.map(({ life }) => life),
      )
    ).map((message) => [message._id, message]),
  );
  const items = changed.flatMap(({ before, events, life }) => {
    const message = written.get(life._id);
    return message ? events.map((event) => eventItem(message, event, before)) : [];
  });
  await emit(tx, items);
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
      // The description: in the body of MESSAGE_FAILED `errors` is out of date; the cause stands in failure_reason.
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
        bsuid: item.bsuid,
        errors: item.errors,
        failure_reason: item.failure_reason,
        reportsFailures: item.reportsFailures,
      },
    })),
  );
}

/** Applies edits and revocations; those of unknown messages wait for them. */
export async function applyCorrections(tx: AnyTx, corrections: Correction[]): Promise<Applied> {
  if (corrections.length === 0) return { applied: 0, parked: 0 };
  const found = new Set((await correctMessages(tx, [...latest(corrections).values()])).map(joinKey));
  const unmatched = corrections.filter((correction) => !found.has(joinKey(correction)));
  if (unmatched.length > 0) {
    await parkUpdates(
      tx,
      unmatched.map(({ company, inbox, external_id, kind, at, from, content_type, content, media }) => ({
        company,
        inbox,
        external_id,
        kind,
        at,
        _id: newId(),
        payload: {
          // So that whoever is erased takes it along.
          from,
          content_type,
          content,
          media,
        },
      })),
    );
  }
  return { applied: corrections.length - unmatched.length, parked: unmatched.length };
}

/** One per message, as an UPDATE takes only one: a revocation before any edit, else the newest. */
function latest(corrections: Correction[]): Map<string, Correction> {
  const chosen = new Map<string, Correction>();
  for (const correction of corrections) {
    const rival = chosen.get(joinKey(correction));
    const wins = !rival || (rival.kind === 'EDIT' && (correction.kind === 'REVOKE' || correction.at > rival.at));
    if (wins) chosen.set(joinKey(correction), correction);
  }
  return chosen;
}

/** Applies what waited for these messages; called once they are stored. */
export async function applyParked(tx: AnyTx, keys: MessageKey[]): Promise<void> {
  if (keys.length === 0) return;
  const parked = await takeParked(tx, keys);
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

/** Mends the moment in which a message and what was parked for it were written at the same time. Returns how many. */
export async function applyCrossed(tx: SystemTx, backMinutes: number): Promise<number> {
  const crossed = await findCrossed(tx, backMinutes);
  await applyParked(tx, crossed);
  return crossed.length;
}

/** Returns how many messages were given up. */
export function giveUpUnknown(tx: SystemTx): Promise<number> {
  const message = 'The network was called, and its answer never came';
  return failUnknown(tx, [{ code: 'PROVIDER_UNREACHABLE', title: 'Outcome unknown', message, details: '' }]);
}
