/** Stores what became of the calls that sent messages: of one, or of many of the same inbox, with the same few statements. */
import type { Channel, NetworkError, SendResult } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { emitLast } from '../../platform/store/events.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { learnRecipients } from '../contacts/ingest-facts.ts';
import type { Credentials } from '../inboxes/connection.ts';
import type { Reached } from '../inboxes/portfolio.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { acceptQueued } from './accept-queries.ts';
import { holdAccount } from './account-pace.ts';
import { lockQueued } from './bulk-queries.ts';
import { applyStatuses, applyWaiting, takeWaiting, type StatusNews } from './ingest.ts';
import { moveFailed } from './ingest-enrollments.ts';
import { failAllQueued, type FailedMessage } from './ingest-failure-queries.ts';
import { insertAliases } from './ingest-queries.ts';
import type { Cause, Message } from './schemas.ts';

/** A call of which the network has said what became of it. An unknown outcome changes nothing. */
export type KnownResult = Exclude<SendResult, { outcome: 'unknown' }>;

export interface Answered {
  message: string;
  result: KnownResult;
  /** The place in the daily limit that was reserved for the message; null when it needs none. */
  place: Reached | null;
  /** The message as it was stored before the call. */
  stored?: Message;
}

/** What the messages were sent through. */
export interface Line {
  channel: Channel;
  inbox: string;
  credentials: Credentials | null;
}

export interface Settled {
  /** The accepted messages as they are now. Left out are those that other reports may have changed as well. */
  sent: Message[];
  /** The reserved places of the messages that have failed. The caller returns them when it has locked everything else. */
  free: Reached[];
}

/** Stores the network's answers. Whichever of an answer and a status is stored first emits MESSAGE_SENT. */
export async function settle(kit: Kit, tx: TenantTx, line: Line, answers: readonly Answered[]): Promise<Settled> {
  const sent = await settleAccepted(tx, line, answers);
  const rejected = answers.flatMap(({ result, ...each }) =>
    result.outcome === 'rejected' ? [{ ...each, result }] : [],
  );
  await noteRefusals(kit, tx, line, rejected);
  const failed = await failMessages(
    tx,
    rejected.map(({ message, result }) => ({ _id: message, ...explainRejection(line.channel, result) })),
  );
  const free = rejected.flatMap(({ message, place }) => (place && failed.has(message) ? [place] : []));
  return { sent, free };
}

async function settleAccepted(tx: TenantTx, { inbox }: Line, answers: readonly Answered[]): Promise<Message[]> {
  const { companyId: company } = tx;
  const at = new Date().toISOString();
  const accepted = answers.flatMap(({ result, ...each }) =>
    result.outcome === 'accepted' ? [{ ...each, result }] : [],
  );
  const news = accepted.map(({ message, result: { externalId, person, held } }) => ({
    company,
    inbox,
    external_id: externalId,
    message,
    recipient: person.names,
    status: held === undefined ? ('ACCEPTED' as const) : ('HELD' as const),
    at,
    errors: [],
    failure_reason: null,
    reportsFailures: true,
  }));
  // Both are sent at once. An update that is parked after this is found as crossed.
  const applied = applyAnswers(tx, news, accepted[0]?.stored);
  const waiting = takeWaiting(tx, news);
  // Failure policy: when the first statement fails, this one fails as well, and only the first error says why.
  waiting.catch(() => undefined);
  const sent = await applied;
  const parked = await waiting;
  const aliases = accepted.flatMap(({ message, result: { alias } }) =>
    alias === undefined ? [] : [{ message, alias }],
  );
  if (aliases.length > 0) tx.awaitAtCommit(insertAliases(tx, inbox, aliases));
  await applyWaiting(tx, parked);
  return parked.length > 0 ? [] : sent;
}

/** A single answer needs one statement, unless something else has changed its message since it was `stored`. */
async function applyAnswers(tx: TenantTx, news: StatusNews[], stored: Message | undefined): Promise<Message[]> {
  const [first, ...others] = news;
  const isPlain = others.length === 0 && first?.status === 'ACCEPTED' && stored?.enrollment === null;
  const sent = isPlain ? await acceptQueued(tx, stored, first) : null;
  if (!sent) return (await applyStatuses(tx, news)).advanced.map(({ message }) => message);
  await learnRecipients(tx, news);
  await emitLast(tx, [{ event: 'MESSAGE_SENT', data: sent }]);
  return [sent];
}

type Rejected = Extract<KnownResult, { outcome: 'rejected' }>;

/** Stores that the network refuses the credentials, and lets an account pause that has sent too quickly. */
async function noteRefusals(
  kit: Kit,
  tx: TenantTx,
  { channel, credentials }: Line,
  rejected: { result: Rejected }[],
): Promise<void> {
  if (!credentials) return;
  const errors = new Map(
    rejected.flatMap(({ result: { error, network } }) => (network ? [[error.code, error] as const] : [])),
  );
  for (const [code, error] of errors) {
    if (channel.refusesCredentials?.(code)) await noteRefusal(kit, tx, credentials, error);
    await holdAccount(tx, channel, credentials, code);
  }
}

/** Returns what a refused message shows: the network's error, and for its own codes a text for people. */
function explainRejection(channel: Channel, { error, network }: Rejected) {
  const text = channel.failureText?.(error.code);
  return { errors: [error], reason: network && text ? { code: error.code, message: text } : null };
}

/** Marks messages that were never sent as FAILED, all for the same cause. */
export async function failUnsent(tx: TenantTx, messages: string[], cause: NetworkError): Promise<void> {
  await failMessages(
    tx,
    messages.map((_id) => ({ _id, errors: [cause as Cause], reason: null })),
  );
}

/**
 * Keeps messages that wait to be sent as they are until the transaction ends. It is called before their enrollments are locked. Returns those
 * that no status has settled meanwhile.
 */
export async function holdUnsent(tx: TenantTx, messages: string[]): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  return new Set((await lockQueued(tx, messages)).map(({ _id }) => _id));
}

/** Returns those that are FAILED now. A status of the network may have changed others meanwhile. */
async function failMessages(tx: TenantTx, failing: FailedMessage[]): Promise<Set<string>> {
  if (failing.length === 0) return new Set();
  const failed = await failAllQueued(tx, failing);
  await moveFailed(tx, failed);
  return new Set(failed.map(({ _id }) => _id));
}
