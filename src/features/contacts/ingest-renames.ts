/**
 * Applies the network's notices that a person has a new number or id. They are applied before messages are matched to contacts, so that a
 * message under the new one finds the existing contact.
 */
import type { Person } from '../../channels/identity.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { isShownKind, toShownFields, storeLearntFacts } from './ingest-facts.ts';
import {
  storeAliases,
  listIdentities,
  findKnownIdentities,
  selectNames,
  type PersonToFind,
  type KnownIdentities,
} from './ingest-people.ts';
import { identityKey } from './identity-plan.ts';
import { readdressIdentities, type CompanyIdentity } from './ingest-queries.ts';

export interface Renaming {
  company: string;
  /** The identities of the person before and after the change. */
  before: Person;
  person: Person;
}

/** A notice that shows that two contacts are one person; the younger is merged into the older. */
export interface SplitContact {
  renaming: Renaming;
  kept: string;
  absorbed: string;
}

export interface RenameResult {
  /** The contact that each notice is about, in the order of the notices; null when the store knows neither identity. */
  contacts: (string | null)[];
  /** Contacts whose own fields changed. */
  changed: Set<string>;
  splits: SplitContact[];
}

/** Finds each person by the old or the new identities and stores the missing ones. */
export async function renamePeople(tx: SystemTx, renamings: Renaming[]): Promise<RenameResult> {
  const renamed: RenameResult = { contacts: [], changed: new Set(), splits: [] };
  if (renamings.length === 0) return renamed;
  const known = await findKnownIdentities(
    tx,
    renamings.flatMap((renaming) => [...identitiesBefore(renaming), ...listIdentities(renaming)]),
  );
  // The notices are applied one after the other, because each may concern the contact of the one before.
  for (const renaming of renamings) {
    const [old, current] = [identitiesBefore(renaming), listIdentities(renaming)].map((names) =>
      findHoldingContact(names, known),
    );
    const contact = old ?? current ?? null;
    if (contact === null) renamed.contacts.push(null);
    else if (old && current && old !== current) {
      // Ids grow with time, so the smaller one is the older contact's.
      const [kept, absorbed] = old < current ? [old, current] : [current, old];
      renamed.splits.push({ renaming, kept, absorbed });
      renamed.contacts.push(kept);
    } else {
      for (const id of await renamePerson(tx, renaming, contact, known)) renamed.changed.add(id);
      renamed.contacts.push(contact);
    }
  }
  return renamed;
}

const identitiesBefore = ({ company, before }: Renaming): CompanyIdentity[] =>
  listIdentities({ company, person: before });

const findHoldingContact = (names: CompanyIdentity[], known: KnownIdentities): string | undefined =>
  names.map((name) => known.get(identityKey(name))?.contact).find((contact) => contact !== undefined);

async function renamePerson(
  tx: SystemTx,
  renaming: Renaming,
  contact: string,
  known: KnownIdentities,
): Promise<Set<string>> {
  const { company, person } = renaming;
  const findContact = (key: string): string | undefined => known.get(key)?.contact;
  const names = [...identitiesBefore(renaming), ...listIdentities(renaming)];
  // An identity that the record of another contact shows stays with that contact.
  const missing = names.filter((name) => {
    const holding = findContact(identityKey(name));
    return holding !== contact && (holding === undefined || !isShownKind(name));
  });
  const fields = toShownFields(selectNames(renaming, contact, findContact));
  await storeAliases(
    tx,
    missing.map((name) => ({ ...name, contact })),
    known,
  );
  for (const { kind, value } of missing)
    known.set(identityKey({ company, kind, value }), {
      company,
      kind,
      value,
      contact,
      nameless: false,
      username: null,
      unfilled: [],
    });
  await renewAddress(tx, renaming, contact);
  const { displayName: name = null, username } = person;
  return storeLearntFacts(tx, [
    { company, contact, name, fields, replace: true, ...(username !== undefined && { username }) },
  ]);
}

/** Sends future answers to the new identity, also in conversations that still store the old one. */
async function renewAddress(tx: SystemTx, renaming: Renaming, contact: string): Promise<void> {
  for (const kind of new Set(renaming.person.names.map((name) => name.kind))) {
    const [renewed, old] = [listIdentities(renaming), identitiesBefore(renaming)].map((names) =>
      names.find((identity) => identity.kind === kind),
    );
    if (renewed && old) await readdressIdentities(tx, { ...renewed, contact }, old.value);
  }
}

/**
 * Links messages in the batch to notices about the same person whom the database does not know yet, so that both identities become one
 * contact.
 */
export function addNamesOfNotices(asked: PersonToFind[], notices: Renaming[]): PersonToFind[] {
  if (notices.length === 0) return asked;
  return asked.map((item) => {
    const own = new Set(listIdentities(item).map(identityKey));
    const about = notices.filter((notice) =>
      [...identitiesBefore(notice), ...listIdentities(notice)].some((name) => own.has(identityKey(name))),
    );
    return about.length === 0 ? item : { ...item, also: about.flatMap(({ before, person }) => [before, person]) };
  });
}
