/** Finds the contacts of the people in a batch. People whose phone number or user id has changed are renamed first. */
import { resolvePeople, type FoundPeople } from '../contacts/ingest-people.ts';
import { linkNames, renamePeople, type Renaming, type Split } from '../contacts/ingest-renames.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { Arrival } from './batch.ts';
import type { Ahead } from './inboxes.ts';

export interface Speakers {
  /** The messages without notices about people whom neither the database nor the batch contains. */
  arrivals: Arrival[];
  /** The contact of each message, in the order of the messages. */
  people: FoundPeople;
  splits: Split[];
}

export async function findSpeakers(tx: SystemTx, arrivals: Arrival[], ahead: Ahead | null): Promise<Speakers> {
  const notices = arrivals.flatMap(readNotice);
  const first = await renamePeople(
    tx,
    notices.map(({ renaming }) => renaming),
  );
  const unknown = notices.filter((_, index) => first.contacts[index] === null);
  const ordinary = arrivals.filter(({ message }) => !message.renamed);
  const asked = ordinary.map(({ receiver, message }) => ({ company: receiver.company, person: message.person }));
  const found = await resolvePeople(
    tx,
    linkNames(
      asked,
      unknown.map(({ renaming }) => renaming),
    ),
    // A renaming changes the contacts that were looked up before, so these can not be used.
    notices.length === 0 ? ahead?.people : undefined,
  );
  // A person who was unknown before may have a contact now, made by a message of this batch.
  const second = await renamePeople(
    tx,
    unknown.map(({ renaming }) => renaming),
  );
  const contacts = new Map(ordinary.map((arrival, index) => [arrival, found.contacts[index] ?? null]));
  for (const [index, { arrival }] of notices.entries()) contacts.set(arrival, first.contacts[index] ?? null);
  for (const [index, { arrival }] of unknown.entries()) contacts.set(arrival, second.contacts[index] ?? null);
  const known = arrivals.filter((arrival) => contacts.get(arrival));
  return {
    arrivals: known,
    people: {
      contacts: known.map((arrival) => contacts.get(arrival) ?? ''),
      created: found.created,
      changed: new Set([...found.changed, ...first.changed, ...second.changed]),
    },
    splits: [...first.splits, ...second.splits],
  };
}

function readNotice(arrival: Arrival): { arrival: Arrival; renaming: Renaming }[] {
  const { receiver, message } = arrival;
  if (!message.renamed) return [];
  return [{ arrival, renaming: { company: receiver.company, before: message.person, person: message.renamed } }];
}
