/** Stores one batch of elements of a network in one transaction. */
import type { Inbound, InboundEdit, InboundRevoke, InboundStatus, InboundUnreadable } from '../../channels/channel.ts';
import { listParts } from '../../channels/content.ts';
import type { InboundAccount, InboundPeopleLimit } from '../../channels/limits.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { InboundTemplate } from '../../channels/templates/network.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_CONTENT_BYTES } from '../../platform/values/sizes.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { storeHistoryNews, type HistoryNews } from '../inboxes/ingest-history-queries.ts';
import {
  findInboxesOfAccount,
  setCoexistence,
  setPeopleLimit,
  type Receiver,
  type SharedInbox,
} from '../inboxes/ingest-queries.ts';
import { applyOptOutWishes, type OptOutWish } from '../contacts/ingest-wishes.ts';
import type { SplitContact } from '../contacts/ingest-renames.ts';
import type { Correction } from '../messages/ingest-correction-queries.ts';
import { applyCorrections, applyStatuses, type StatusNews } from '../messages/ingest.ts';
import { applyTemplateNews } from '../templates/ingest.ts';
import { resolveAnswers } from './aliases.ts';
import { messageTime, type ArrivedMessage, type ArrivedReport } from './batch.ts';
import { separateMessages } from './distinct.ts';
import { resolveEchoes } from './echoes.ts';
import { cutText } from './fitting.ts';
import { addHistory } from './histories.ts';
import { joinAnswered } from './joins.ts';
import type { InboxFinder } from './inboxes.ts';
import { setPositions, type ReadInbox } from './fetching/queries.ts';
import { insertAsides, type AsideElement } from './queries.ts';
import { resolveReports } from './reports.ts';
import { toStoredMedia } from './rows.ts';
import { storeMessages, type ConversationKey, type StoreSettings } from './store-messages.ts';

/** The number of elements by outcome, for the metric with the same names. */
export type Outcomes = Record<'stored' | 'repeated' | 'applied' | 'parked' | 'dropped' | 'aside', number>;

const noOutcomes = (): Outcomes => ({ stored: 0, repeated: 0, applied: 0, parked: 0, dropped: 0, aside: 0 });

export interface IngestContext extends StoreSettings {
  inboxes: InboxFinder;
  /** Enqueues the merge of two contacts that the network shows to be one person, in the batch's transaction. */
  split: (found: SplitContact) => Promise<void>;
  /** Enqueues the network's read mark in a conversation, in the batch's transaction. */
  markRead: (about: ConversationKey) => Promise<void>;
  /** Enqueues a check of an inbox, in the batch's transaction. */
  recheck: (receiver: Receiver) => Promise<void>;
  /** Enqueues the question how the network rates the number of an inbox, in the batch's transaction. */
  rereadStanding: (found: Pick<Receiver, 'company' | 'inbox'>) => Promise<void>;
  /** Enqueues the request for the old messages of the phone that shares the number of an inbox, in the batch's transaction. */
  askHistory: (found: Pick<Receiver, 'company' | 'inbox'>) => Promise<void>;
}

/** Returns true when a batch begins with reads: news of accounts and unreadable elements are written before any read. */
export const beginsWithReads = (elements: Inbound[]): boolean =>
  elements.every(
    ({ kind }) => kind !== 'account' && kind !== 'template' && kind !== 'people-limit' && kind !== 'unreadable',
  );

export async function ingest(
  tx: SystemTx,
  channel: NamedChannel,
  elements: Inbound[],
  { inboxes, split, markRead, recheck, rereadStanding, askHistory, ...settings }: IngestContext,
): Promise<Outcomes> {
  const outcomes = noOutcomes();
  // Callbacks of one batch have no order, so account events are applied first and hold for the messages of the same batch.
  for (const found of await applyAccounts(tx, channel, elements, outcomes)) await askHistory(found);
  for (const found of await listTroubled(tx, channel, elements)) await rereadStanding(found);
  const { receivers, ahead } = await inboxes.find(tx, channel, elements);
  tx.concerns([...receivers.values()].map(({ company }) => company));
  const { arrivals, news, corrections, asides, wishes, positions, reports, unsure, histories } = sortElements(
    channel,
    elements,
    {
      receivers,
      outcomes,
    },
  );
  const resolved = await resolveReports(tx, reports);
  for (const { receiver, unreadable } of resolved.unreadable)
    asides.push(toUnreadableRow(channel, unreadable, receiver));
  if (histories.size > 0) await storeHistoryNews(tx, [...histories.values()]);
  outcomes.applied += histories.size;
  if (asides.length > 0) outcomes.aside = await insertAsides(tx, asides);
  news.push(...resolved.news);
  wishes.push(...resolved.wishes);
  arrivals.push(...resolved.arrivals);
  const echoes = await resolveEchoes(tx, arrivals);
  news.push(...echoes.news);
  const separated = await separateMessages(
    tx,
    channel.can.threads ? await joinAnswered(tx, await resolveAnswers(tx, echoes.arrivals)) : echoes.arrivals,
  );
  // The early look-ups know neither the mails of reports nor the ids that messages got here.
  const early = resolved.arrivals.length > 0 || separated !== echoes.arrivals ? null : ahead;
  const { stored, dropped, splits, read } = await storeMessages(tx, separated, early, settings);
  outcomes.stored = stored;
  outcomes.dropped += dropped + echoes.dropped;
  outcomes.repeated = echoes.arrivals.length - stored - dropped;
  for (const found of splits) await split(found);
  await Promise.all(read.map(markRead));
  await applyChanges(tx, { wishes, news, corrections }, outcomes);
  if (positions.length > 0) await setPositions(tx, positions);
  for (const receiver of unsure.values()) await recheck(receiver);
  outcomes.applied += unsure.size;
  return outcomes;
}

/** Sorts the elements by what has to be done with them. Those of inboxes that receive nothing are dropped. */
function sortElements(
  channel: NamedChannel,
  elements: Inbound[],
  { receivers, outcomes }: { receivers: Map<string, Receiver>; outcomes: Outcomes },
) {
  const arrivals: ArrivedMessage[] = [];
  const news: StatusNews[] = [];
  const corrections: Correction[] = [];
  const asides: AsideElement[] = [];
  const wishes: OptOutWish[] = [];
  const positions: ReadInbox[] = [];
  const reports: ArrivedReport[] = [];
  const unsure = new Map<string, Receiver>();
  const histories = new Map<string, HistoryNews>();
  for (const element of elements) {
    const receiver = 'address' in element && element.address !== null ? receivers.get(element.address) : undefined;
    if (element.kind === 'account' || element.kind === 'template' || element.kind === 'people-limit') continue;
    else if (element.kind === 'unreadable') asides.push(toUnreadableRow(channel, element, receiver));
    else if (!receiver) outcomes.dropped += 1;
    else if (element.kind === 'preference')
      wishes.push({ ...element, company: receiver.company, at: messageTime(element) });
    else if (element.kind === 'report') reports.push({ receiver, channel, report: element });
    else if (element.kind === 'connection') unsure.set(receiver.inbox, receiver);
    else if (element.kind === 'position') positions.push({ ...receiver, position: element.position });
    else if (element.kind === 'status') news.push(toStatusNews(receiver, channel, element));
    else if (element.kind === 'edit' || element.kind === 'revoke') corrections.push(toCorrection(receiver, element));
    else if ((element.kind === 'history' || element.origin !== 'live') && !receiver.coexistence_enabled)
      outcomes.dropped += 1;
    else if (element.kind === 'history') addHistory(histories, receiver, element);
    else arrivals.push({ receiver, channel, message: element });
  }
  return { arrivals, news, corrections, asides, wishes, positions, reports, unsure, histories };
}

interface Changes {
  wishes: OptOutWish[];
  news: StatusNews[];
  corrections: Correction[];
}

async function applyChanges(tx: SystemTx, { wishes, news, corrections }: Changes, outcomes: Outcomes): Promise<void> {
  const appliedWishes = await applyOptOutWishes(tx, wishes);
  outcomes.applied += appliedWishes;
  outcomes.dropped += wishes.length - appliedWishes;
  for (const { applied, parked } of [await applyStatuses(tx, news), await applyCorrections(tx, corrections)]) {
    outcomes.applied += applied;
    outcomes.parked += parked;
  }
}

/** Returns the inboxes of which the old messages have to be asked for. */
async function applyAccounts(
  tx: SystemTx,
  channel: NamedChannel,
  elements: Inbound[],
  outcomes: Outcomes,
): Promise<SharedInbox[]> {
  const shared: SharedInbox[] = [];
  for (const element of elements) {
    if (element.kind === 'account') shared.push(...(await applyAccount(tx, channel, element, outcomes)));
    if (element.kind !== 'template' && element.kind !== 'people-limit') continue;
    const changed = await applyAccountNews(tx, channel, element);
    outcomes[changed > 0 ? 'applied' : 'dropped'] += 1;
  }
  return shared.filter(({ lacks_history }) => lacks_history);
}

/** Returns the inboxes of the accounts whose change the network reports, each once. */
async function listTroubled(tx: SystemTx, { name, readStanding }: NamedChannel, elements: Inbound[]) {
  const reported = elements.flatMap((element) => (element.kind === 'account' && readStanding ? [element.account] : []));
  const found: { company: string; inbox: string }[] = [];
  for (const account of new Set(reported)) found.push(...(await findInboxesOfAccount(tx, name, account)));
  return found;
}

/** Returns how many of the companies' records changed. */
function applyAccountNews(
  tx: SystemTx,
  { name }: NamedChannel,
  element: InboundTemplate | InboundPeopleLimit,
): Promise<number> {
  const at = messageTime(element);
  if (element.kind === 'template') return applyTemplateNews(tx, name, element, at);
  return setPeopleLimit(tx, name, { account: element.account, people: element.people, at });
}

async function applyAccount(
  tx: SystemTx,
  channel: NamedChannel,
  element: InboundAccount,
  outcomes: Outcomes,
): Promise<SharedInbox[]> {
  const { account, coexistence: enabled } = element;
  const switched =
    enabled === null ? [] : await setCoexistence(tx, channel.name, { account, enabled, at: messageTime(element) });
  outcomes[switched.length > 0 ? 'applied' : 'dropped'] += 1;
  return switched;
}

function toUnreadableRow(
  channel: NamedChannel,
  { address, reason, raw }: InboundUnreadable,
  receiver: Receiver | undefined,
): AsideElement {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.from(JSON.stringify(raw) ?? '');
  return { _id: newId(), channel: channel.name, address, reason, raw: bytes, receiver: receiver ?? null };
}

function toStatusNews(receiver: Receiver, channel: NamedChannel, element: InboundStatus): StatusNews {
  const [first] = element.errors;
  const text = first && channel.failureText?.(first.code);
  return {
    company: receiver.company,
    inbox: receiver.inbox,
    external_id: element.externalId,
    message: element.messageId,
    recipient: element.person.names,
    status: element.status,
    at: messageTime(element),
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
  const content = element.kind === 'edit' ? listParts(element.content) : null;
  return {
    company: receiver.company,
    inbox: receiver.inbox,
    external_id: element.originalExternalId,
    kind: element.kind === 'edit' ? 'EDIT' : 'REVOKE',
    at: messageTime(element),
    isHistory: element.isHistory ?? false,
    from: element.kind === 'edit' ? element.from : null,
    content_type: content?.contentType ?? null,
    content: cutText(content?.content ?? null, MAX_CONTENT_BYTES),
    media: toStoredMedia(content?.media ?? null, null, false),
  };
}
