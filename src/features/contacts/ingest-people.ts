/**
 * Finds or creates the contacts of a whole batch of messages by the identities that networks report; the most reliable one that is known
 * decides. An unknown person becomes one contact, also when other transactions ask for the same person at the same moment.
 */
import type { Person } from '../../channels/channel.ts';
import { newId } from '../../platform/ids.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import {
  claimIdentities,
  findIdentities,
  insertPeople,
  moveIdentities,
  type Alias,
  type CompanyIdentity,
  type KnownIdentity,
  type LearntFact,
  type NewPerson,
} from './ingest-queries.ts';
import { isShown, mergeFields, showNames, storeFacts } from './ingest-facts.ts';

export interface AskedPerson {
  company: string;
  person: Person;
  /** Other identities that the network uses for the same person. */
  also?: Person[];
}

export interface FoundPeople {
  /** The ids of the contacts, in the order of the people. */
  contacts: string[];
  created: Set<string>;
  /** The contacts whose fields changed because of what the network reported. */
  changed: Set<string>;
}

export const identityKey = (identity: { company: string; kind: string; value: string }): string =>
  `${identity.company} ${identity.kind} ${identity.value}`;

/** Lists the identities of a person, the most reliable first. */
export const listIdentities = ({ company, person, also = [] }: AskedPerson): CompanyIdentity[] =>
  [person, ...also].flatMap(({ names }) => names.map((name) => ({ company, ...name })));

export type Known = Map<string, KnownIdentity>;

/** Returns the contacts of all asked people. `looked` holds the stored identities when the caller has just read them. */
export async function resolvePeople(tx: SystemTx, asked: AskedPerson[], looked?: Known): Promise<FoundPeople> {
  const identities = asked.map(listIdentities);
  const known = looked ?? (await findKnownIdentities(tx, identities.flat()));
  const held = new Map([...known].map(([key, identity]) => [key, identity.contact]));
  const newcomers = new Map<string, NewPerson>();
  for (const [index, own] of identities.entries()) assignContact(asked[index] as AskedPerson, own, held, newcomers);
  const people = [...newcomers.values()];
  const created = new Set(people.length > 0 ? (await insertPeople(tx, people)).map((row) => row._id) : []);
  const lost = people.filter((person) => !created.has(person.contact));
  if (lost.length > 0) await useOthersContacts(tx, lost, held);
  const contacts = identities.map((own) => findHolder(own, held));
  const mains = new Set(people.map((person) => identityKey(person.main)));
  const aliases = identities.flatMap((own, index) => findAliases(own, contacts[index] ?? '', known, held));
  await storeAliases(
    tx,
    aliases.filter((alias) => !mains.has(identityKey(alias))),
    known,
  );
  const facts = asked.flatMap((item, index) =>
    findNewFacts(item, contacts[index] ?? '', identities[index] ?? [], known),
  );
  return { contacts, created, changed: await storeFacts(tx, facts) };
}

export async function findKnownIdentities(tx: SystemTx, identities: CompanyIdentity[]): Promise<Known> {
  const distinct = [...new Map(identities.map((identity) => [identityKey(identity), identity])).values()];
  return new Map((await findIdentities(tx, distinct)).map((identity) => [identityKey(identity), identity]));
}

function findHolder(own: CompanyIdentity[], held: Map<string, string>): string {
  for (const identity of own) {
    const contact = held.get(identityKey(identity));
    if (contact) return contact;
  }
  throw new Error('a person without any identity reached the contacts');
}

/** Finds the contact of one person. An unknown person becomes a newcomer, which later elements of the batch can match and complete. */
function assignContact(
  asked: AskedPerson,
  own: CompanyIdentity[],
  held: Map<string, string>,
  newcomers: Map<string, NewPerson>,
): void {
  const [main] = own;
  if (!main) return;
  const holder = own.map((identity) => held.get(identityKey(identity))).find((contact) => contact !== undefined);
  const contact = holder ?? newId();
  const newcomer = newcomers.get(contact);
  if (newcomer || !holder) {
    const fields = showNames(selectNames(asked, contact, (key) => held.get(key)));
    newcomers.set(contact, {
      contact,
      main: newcomer?.main ?? main,
      name: newcomer?.name ?? asked.person.displayName ?? null,
      fields: newcomer ? mergeFields(fields, newcomer.fields) : fields,
    });
  }
  // Other identities of the same person belong to the same contact, also for later elements that only have one of them.
  for (const identity of own) if (!held.has(identityKey(identity))) held.set(identityKey(identity), contact);
}

/** Other transactions created contacts for these people at the same moment; their contacts are used. */
async function useOthersContacts(tx: SystemTx, lost: NewPerson[], held: Map<string, string>): Promise<void> {
  const winners = await findIdentities(
    tx,
    lost.map((person) => person.main),
  );
  const contactByIdentity = new Map(winners.map((identity) => [identityKey(identity), identity.contact]));
  for (const person of lost) {
    const winner = contactByIdentity.get(identityKey(person.main));
    if (!winner) throw new Error('an identity is held by nobody');
    for (const [key, contact] of held) if (contact === person.contact) held.set(key, winner);
  }
}

/** The names of the person that the contact has or that are free. Another contact's record may show the others. */
export const selectNames = (
  { company, person }: AskedPerson,
  contact: string,
  findContact: (key: string) => string | undefined,
): Person['names'] =>
  person.names.filter((name) => (findContact(identityKey({ company, ...name })) ?? contact) === contact);

/**
 * The identities that the batch reported for a contact and that the contact does not have yet. One that the record of another contact shows
 * stays with that contact.
 */
function findAliases(own: CompanyIdentity[], contact: string, known: Known, held: Map<string, string>): Alias[] {
  return own.length < 2
    ? []
    : own
        .filter((identity) => known.get(identityKey(identity))?.contact !== contact)
        .filter((identity) => !isShown(identity) || held.get(identityKey(identity)) === contact)
        .map((identity) => ({ ...identity, contact }));
}

/** Stores new identities of contacts. One that another contact has is moved, because the network says that it is this person's. */
export async function storeAliases(tx: SystemTx, aliases: Alias[], known: Known): Promise<void> {
  const distinct = [...new Map(aliases.map((alias) => [identityKey(alias), alias])).values()];
  const taken = distinct.filter((alias) => known.has(identityKey(alias)));
  const free = distinct.filter((alias) => !known.has(identityKey(alias)));
  if (taken.length > 0) await moveIdentities(tx, taken);
  if (free.length > 0) await claim(tx, free);
}

/** Stores identities that were free. If another transaction has taken one in the meantime, the batch fails and is tried again. */
async function claim(tx: SystemTx, aliases: Alias[]): Promise<void> {
  const won = new Set((await claimIdentities(tx, aliases)).map(identityKey));
  const lost = aliases.filter((alias) => !won.has(identityKey(alias)));
  if (lost.length === 0) return;
  const holders = await findKnownIdentities(tx, lost);
  if (lost.some((alias) => holders.get(identityKey(alias))?.contact !== alias.contact))
    throw new Error('an identity was taken while its contact was being found');
}

/** What the network reports about a contact and the contact does not have yet; for most messages that is nothing. */
function findNewFacts(asked: AskedPerson, contact: string, own: CompanyIdentity[], known: Known): LearntFact[] {
  const hit = own.map((identity) => known.get(identityKey(identity))).find((identity) => identity?.contact === contact);
  if (!hit) return [];
  const { company, person } = asked;
  const isMissing = ({ kind }: { kind: string }): boolean => hit.unfilled.includes(kind);
  const names = person.names.some(isMissing)
    ? selectNames(asked, contact, (key) => known.get(key)?.contact).filter(isMissing)
    : [];
  const name = (hit.nameless && person.displayName) || null;
  return name === null && names.length === 0
    ? []
    : [{ company, contact, name, fields: showNames(names), replace: false }];
}
