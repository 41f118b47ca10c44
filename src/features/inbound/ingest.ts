/** Stores one batch of elements of a network in one transaction. */
import type {
  Inbound,
  InboundAccount,
  InboundEdit,
  InboundRevoke,
  InboundStatus,
  InboundUnreadable,
} from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { newId } from '../../platform/ids.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { setCoexistence, type Receiver } from '../inboxes/ingest-queries.ts';
import { applyWishes, type Wish } from '../contacts/ingest-wishes.ts';
import type { Split } from '../contacts/ingest-renames.ts';
import type { Correction } from '../messages/ingest-queries.ts';
import { applyCorrections, applyStatuses, type StatusNews } from '../messages/ingest.ts';
import { saidAt, type Arrival } from './batch.ts';
import type { Inboxes } from './inboxes.ts';
import { insertAsides, type Aside } from './queries.ts';
import { toStoredMedia } from './rows.ts';
import { storeMessages } from './store-messages.ts';

/** The number of elements by outcome, for the metric with the same names. */
export type Outcomes = Record<'stored' | 'repeated' | 'applied' | 'parked' | 'dropped' | 'aside', number>;

const noOutcomes = (): Outcomes => ({ stored: 0, repeated: 0, applied: 0, parked: 0, dropped: 0, aside: 0 });

export interface Surroundings {
  inboxes: Inboxes;
  /** Enqueues the merge of two contacts that the network shows to be one person, in the batch's transaction. */
  split: (found: Split) => Promise<void>;
}

/** Returns true when a batch begins with reads: account events and unreadable elements are written before any read. */
export const beginsWithReads = (elements: Inbound[]): boolean =>
  elements.every((element) => element.kind !== 'account' && element.kind !== 'unreadable');

export async function ingest(
  tx: SystemTx,
  channel: NamedChannel,
  elements: Inbound[],
  { inboxes, split }: Surroundings,
): Promise<Outcomes> {
  const outcomes = noOutcomes();
  // Callbacks of one batch have no order, so account events are applied first and hold for the messages of the same batch.
  for (const element of elements) if (element.kind === 'account') await applyAccount(tx, channel, element, outcomes);
  const { receivers, ahead } = await inboxes.find(tx, channel, elements);
  const at = (element: { address: string }): Receiver | undefined => receivers.get(element.address);
  const arrivals: Arrival[] = [];
  const news: StatusNews[] = [];
  const corrections: Correction[] = [];
  const asides: Aside[] = [];
  const wishes: Wish[] = [];
  for (const element of elements) {
    const receiver = 'address' in element && element.address !== null ? at(element as { address: string }) : undefined;
    if (element.kind === 'account') continue;
    else if (element.kind === 'unreadable') asides.push(toAside(channel, element));
    else if (!receiver) outcomes.dropped += 1;
    else if (element.kind === 'preference') wishes.push({ ...element, company: receiver.company, at: saidAt(element) });
    else if (element.kind === 'status') news.push(toNews(receiver, channel, element));
    else if (element.kind === 'edit' || element.kind === 'revoke') corrections.push(toCorrection(receiver, element));
    else if (element.origin !== 'live' && !receiver.coexistence_enabled) outcomes.dropped += 1;
    else arrivals.push({ receiver, channel, message: element });
  }
  if (asides.length > 0) outcomes.aside = await insertAsides(tx, asides);
  const { stored, dropped, splits } = await storeMessages(tx, arrivals, ahead);
  outcomes.stored = stored;
  outcomes.dropped += dropped;
  outcomes.repeated = arrivals.length - stored - dropped;
  for (const found of splits) await split(found);
  const appliedWishes = await applyWishes(tx, wishes);
  outcomes.applied += appliedWishes;
  outcomes.dropped += wishes.length - appliedWishes;
  for (const { applied, parked } of [await applyStatuses(tx, news), await applyCorrections(tx, corrections)]) {
    outcomes.applied += applied;
    outcomes.parked += parked;
  }
  return outcomes;
}

async function applyAccount(
  tx: SystemTx,
  channel: NamedChannel,
  element: InboundAccount,
  outcomes: Outcomes,
): Promise<void> {
  const { account, coexistence: enabled } = element;
  const switched =
    enabled === null ? 0 : await setCoexistence(tx, channel.name, { account, enabled, at: saidAt(element) });
  outcomes[switched > 0 ? 'applied' : 'dropped'] += 1;
}

function toAside(channel: NamedChannel, { address, reason, raw }: InboundUnreadable): Aside {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.from(JSON.stringify(raw) ?? '');
  return { _id: newId(), channel: channel.name, address, reason, raw: bytes };
}

function toNews(receiver: Receiver, channel: NamedChannel, element: InboundStatus): StatusNews {
  const [first] = element.errors;
  const text = first && channel.failureText?.(first.code);
  return {
    company: receiver.company,
    inbox: receiver.inbox,
    external_id: element.externalId,
    message: element.messageId,
    recipient: element.person.names,
    status: element.status,
    at: saidAt(element),
    errors: element.errors,
    reportsFailures: channel.can.reportsFailures,
    failure_reason:
      first && text
        ? {
            code: first.code,
            message: text,
          }
        : null,
  };
}

function toCorrection(receiver: Receiver, element: InboundEdit | InboundRevoke): Correction {
  const content = element.kind === 'edit' ? element.content : null;
  return {
    company: receiver.company,
    inbox: receiver.inbox,
    external_id: element.originalExternalId,
    kind: element.kind === 'edit' ? 'EDIT' : 'REVOKE',
    at: saidAt(element),
    from: element.kind === 'edit' ? element.from : null,
    content_type: content?.contentType ?? null,
    content: content?.content ?? null,
    media: toStoredMedia(content?.media ?? null),
  };
}
