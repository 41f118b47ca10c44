/**
 * Finds the inboxes of a batch. In the same round trip it looks up which messages are stored and which people are known, for the inbox that
 * each address had last time, because that hardly ever changes. If an address has another inbox now, these look-ups are made again.
 */
import type { Inbound, InboundMessage } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { listIdentities, findKnownIdentities, type KnownIdentities } from '../contacts/ingest-people.ts';
import { findReceivers, type Receiver } from '../inboxes/ingest-queries.ts';
import { findKnown, type KnownMessage } from '../messages/ingest-queries.ts';

/** The stored messages and known people that were looked up together with the inboxes; they may be more than the batch needs. */
export interface EarlyLookUps {
  messages: KnownMessage[];
  people: KnownIdentities;
}

export interface InboxFinder {
  find(tx: SystemTx, channel: NamedChannel, elements: Inbound[]): Promise<FoundInboxes>;
}

export interface FoundInboxes {
  receivers: Map<string, Receiver>;
  /** The stored messages and known people; null when they still have to be looked up. */
  ahead: EarlyLookUps | null;
}

type InboxPlace = Pick<Receiver, 'company' | 'inbox'>;

// The number of remembered addresses; when there are more, all are forgotten.
const MAX_PLACES = 10_000;

export function createInboxFinder(): InboxFinder {
  /** The inbox that was found last, by channel and address. */
  const places = new Map<string, InboxPlace>();

  async function find(tx: SystemTx, channel: NamedChannel, elements: Inbound[]): Promise<FoundInboxes> {
    const addresses = new Set(
      elements.flatMap((element) => ('address' in element && element.address ? [element.address] : [])),
    );
    if (addresses.size === 0) return { receivers: new Map(), ahead: null };
    const placeKey = (address: string): string => `${channel.name} ${address}`;
    const expected = new Map([...addresses].map((address) => [address, places.get(placeKey(address))]));
    const [receivers, ahead] = await Promise.all([
      findReceivers(tx, channel.name, [...addresses]),
      lookUpEarly(tx, elements, expected),
    ]);
    if (places.size > MAX_PLACES) places.clear();
    for (const { address, company, inbox } of receivers) places.set(placeKey(address), { company, inbox });
    const isExpected = receivers.every(({ address, company, inbox }) => {
      const place = expected.get(address);
      return place?.company === company && place.inbox === inbox;
    });
    return {
      receivers: new Map(receivers.map((receiver) => [receiver.address, receiver])),
      ahead: isExpected ? ahead : null,
    };
  }

  return { find };
}

async function lookUpEarly(
  tx: SystemTx,
  elements: Inbound[],
  expected: Map<string, InboxPlace | undefined>,
): Promise<EarlyLookUps | null> {
  const placed = elements.flatMap((element) => {
    const place = element.kind === 'message' ? expected.get(element.address) : undefined;
    return place ? [{ place, message: element as InboundMessage }] : [];
  });
  if (placed.length === 0) return null;
  const keys = new Map(
    placed.map(({ place, message }) => [
      `${place.inbox} ${message.externalId}`,
      { ...place, external_id: message.externalId },
    ]),
  );
  const [messages, people] = await Promise.all([
    findKnown(tx, [...keys.values()]),
    findKnownIdentities(
      tx,
      placed.flatMap(({ place, message }) => listIdentities({ company: place.company, person: message.person })),
    ),
  ]);
  return { messages, people };
}
