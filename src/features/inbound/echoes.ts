/**
 * Recognises messages of ours among those that the network reports as sent. The report may be stored before the answer to the call that sent the message,
 * which alone has its id. Where that answer never came, the report settles the outcome.
 */
import { textOf, type ContentOf } from '../../channels/content.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findUnsettled, type UnsettledMessage } from '../messages/ingest-echo-queries.ts';
import { cutName, startsWithName } from '../messages/operator-name.ts';
import type { StatusNews } from '../messages/ingest.ts';
import { messageTime, type ArrivedMessage } from './batch.ts';

export interface ResolvedEchoes {
  /** A status for each message of ours. */
  news: StatusNews[];
  /** All other messages. */
  arrivals: ArrivedMessage[];
  /** The number of reports about messages that are not ours, and are no messages themselves. */
  dropped: number;
}

/**
 * Only what the network may report of our own sends is compared with our messages: what someone wrote on the company's phone may have the
 * same words as one of them.
 */
const mayBeOurs = ({ channel, message }: ArrivedMessage): boolean =>
  channel.can.echoesSends && (message.isConfirmation === true || message.mayBeOurs === true);

export async function resolveEchoes(tx: SystemTx, arrived: ArrivedMessage[]): Promise<ResolvedEchoes> {
  const echoes = arrived.filter(mayBeOurs);
  if (echoes.length === 0) return { news: [], arrivals: arrived, dropped: 0 };
  const ours = pickMessages(echoes, await findUnsettled(tx, echoes.map(toReport)));
  const resolved: ResolvedEchoes = { news: [], arrivals: [], dropped: 0 };
  for (const arrival of arrived) {
    const message = ours.get(arrival.message.externalId);
    if (message !== undefined && mayBeOurs(arrival)) resolved.news.push(toAcceptance(arrival, message));
    else if (arrival.message.isConfirmation) resolved.dropped += 1;
    else resolved.arrivals.push(arrival);
  }
  return resolved;
}

/** As `findUnsettled` compares it. */
const nameReaction = ({ emoji, externalId }: ContentOf<'REACTION'>['reaction']): string => `${emoji} ${externalId}`;

const toReport = ({ receiver: { company, inbox }, channel, message }: ArrivedMessage) => ({
  company,
  inbox,
  external_id: message.externalId,
  content_type: message.contentType,
  content: message.contentType === 'REACTION' ? nameReaction(message.reaction) : textOf(message),
  unnamed: cutName(channel.can, textOf(message)),
  recipients: message.person.names,
});

/** Returns our messages by the network's ids. Each message is taken once: two messages with the same words have two reports. */
function pickMessages(echoes: ArrivedMessage[], found: UnsettledMessage[]): Map<string, string> {
  const picked = new Map<string, string>();
  const taken = new Set<string>();
  for (const { place, message, operator } of found) {
    const echo = echoes[place];
    const externalId = echo?.message.externalId ?? '';
    if (!echo || picked.has(externalId) || taken.has(message)) continue;
    if (operator !== null && !startsWithName(echo.channel.can, textOf(echo.message), operator)) continue;
    picked.set(externalId, message);
    taken.add(message);
  }
  return picked;
}

const toAcceptance = ({ receiver, channel, message }: ArrivedMessage, ours: string): StatusNews => ({
  company: receiver.company,
  inbox: receiver.inbox,
  external_id: message.externalId,
  message: ours,
  recipient: message.person.names,
  status: 'SENT',
  at: messageTime(message),
  errors: [],
  reportsFailures: channel.can.reportsFailures,
  failure_reason: null,
});
