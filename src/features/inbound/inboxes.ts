/**
 * The inboxes behind a batch, and what can be asked in the same round trip: which messages are stored and who is known are looked up
 * for the inbox that an address had last time, because it hardly ever changes. Where it has, they are looked up again.
 */
import type { Channel, Inbound, InboundMessage } from '../../channels/channel.ts';
import type { FlushTx } from '../../platform/tenant.ts';
import { identitiesOf, knownOf, type Known } from '../contacts/ingest-people.ts';
import { findReceivers, type Receiver } from '../inboxes/ingest-queries.ts';
import { findKnown, type KnownMessage } from '../messages/ingest-queries.ts';

/** What is known of the messages of a batch, all of them or more. */
export interface Ahead {
  messages: KnownMessage[];
  people: Known;
}

export interface Inboxes {
  find(tx: FlushTx, channel: Channel, elements: Inbound[]): Promise<Found>;
}

export interface Found {
  receivers: Map<string, Receiver>;
  /** Null where it has to be asked now. */
  ahead: Ahead | null;
}

type Place = Pick<Receiver, 'company' | 'inbox'>;

// More addresses than this are remembered anew.
const MAX_PLACES = 10_000;

export function createInboxes(): Inboxes {
  /** By channel and address, where it was found last. */
  const places = new Map<string, Place>();

  async function find(tx: FlushTx, channel: Channel, elements: Inbound[]): Promise<Found> {
    const addresses = new Set(
      elements.flatMap((element) => ('address' in element && element.address ? [element.address] : [])),
    );
    if (addresses.size === 0) return { receivers: new Map(), ahead: null };
    const keyOf = (address: string): string => `${channel.name} ${address}`;
    const expected = new Map([...addresses].map((address) => [address, places.get(keyOf(address))]));
    const [receivers, ahead] = await Promise.all([
      findReceivers(tx, channel.name, [...addresses]),
      lookAhead(tx, elements, expected),
    ]);
    if (places.size > MAX_PLACES) places.clear();
    for (const { address, company, inbox } of receivers) places.set(keyOf(address), { company, inbox });
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

async function lookAhead(
  tx: FlushTx,
  elements: Inbound[],
  expected: Map<string, Place | undefined>,
): Promise<Ahead | null> {
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
    knownOf(
      tx,
      placed.flatMap(({ place, message }) => identitiesOf({ company: place.company, person: message.person })),
    ),
  ]);
  return { messages, people };
}
