/** Finds the contacts of the people in a batch. People whose phone number or user id has changed are renamed first. */
import { findOrCreatePeople, type FoundPeople } from '../contacts/ingest-people.ts';
import { addNamesOfNotices, renamePeople, type Renaming, type SplitContact } from '../contacts/ingest-renames.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { ArrivedMessage } from './batch.ts';
import type { EarlyLookUps } from './inboxes.ts';

export interface MessagePeople {
  /** The messages without notices about people whom neither the database nor the batch contains. */
  arrivals: ArrivedMessage[];
  /** The contact of each message, in the order of the messages. */
  people: FoundPeople;
  splits: SplitContact[];
}

export async function findMessagePeople(
  tx: SystemTx,
  arrivals: ArrivedMessage[],
  ahead: EarlyLookUps | null,
): Promise<MessagePeople> {
  const notices = arrivals.flatMap(readRenameNotice);
  const first = await renamePeople(
    tx,
    notices.map(({ renaming }) => renaming),
  );
  const unknown = notices.filter((_, index) => first.contacts[index] === null);
  const ordinary = arrivals.filter(({ message }) => !message.renamed);
  const asked = ordinary.map(({ receiver, channel, message }) => ({
    company: receiver.company,
    person: message.person,
    source: channel.contactSource,
  }));
  const found = await findOrCreatePeople(
    tx,
    addNamesOfNotices(
      asked,
      unknown.map(({ renaming }) => renaming),
    ),
    // A renaming changes the contacts that were looked up before, so these cannot be used.
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

function readRenameNotice(arrival: ArrivedMessage): { arrival: ArrivedMessage; renaming: Renaming }[] {
  const { receiver, message } = arrival;
  if (!message.renamed) return [];
  return [{ arrival, renaming: { company: receiver.company, before: message.person, person: message.renamed } }];
}
