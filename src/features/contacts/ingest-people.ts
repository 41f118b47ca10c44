/**
 * Finds or creates the contacts of a whole batch of messages by the identities that networks report; the most reliable one that is known
 * decides. An unknown person becomes one contact, also when other transactions ask for the same person at the same moment.
 */
import type { Person } from '../../channels/identity.ts';
import { newId } from '../../platform/values/ids.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import {
  claimIdentities,
  findIdentities,
  insertPeople,
  moveIdentities,
  type IdentityAlias,
  type CompanyIdentity,
  type KnownIdentity,
  type LearntFact,
  type NewPerson,
} from './ingest-queries.ts';
import type { ContactSource } from './schemas.ts';
import { isShownKind, mergeFields, toShownFields, storeLearntFacts } from './ingest-facts.ts';

export interface PersonToFind {
  company: string;
  person: Person;
  /** How an unknown person becomes a contact; INBOUND when absent. */
  source?: ContactSource;
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
export const listIdentities = ({ company, person, also = [] }: PersonToFind): CompanyIdentity[] =>
  [person, ...also].flatMap(({ names }) => names.map((name) => ({ company, ...name })));

export type KnownIdentities = Map<string, KnownIdentity>;

/** Returns the contacts of all asked people. `looked` holds the stored identities when the caller has just read them. */
export async function findOrCreatePeople(
  tx: SystemTx,
  asked: PersonToFind[],
  looked?: KnownIdentities,
): Promise<FoundPeople> {
  const identities = asked.map(listIdentities);
  const known = looked ?? (await findKnownIdentities(tx, identities.flat()));
  const held = new Map([...known].map(([key, identity]) => [key, identity.contact]));
  const newcomers = new Map<string, NewPerson>();
  for (const [index, own] of identities.entries()) assignContact(asked[index] as PersonToFind, own, held, newcomers);
  const people = [...newcomers.values()];
  const created = new Set(people.length > 0 ? (await insertPeople(tx, people)).map((row) => row._id) : []);
  const lost = people.filter((person) => !created.has(person.contact));
  if (lost.length > 0) await useContactsOfOtherProcesses(tx, lost, held);
  const contacts = identities.map((own) => requireContact(own, held));
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
  return { contacts, created, changed: await storeLearntFacts(tx, facts) };
}

export async function findKnownIdentities(tx: SystemTx, identities: CompanyIdentity[]): Promise<KnownIdentities> {
  const distinct = [...new Map(identities.map((identity) => [identityKey(identity), identity])).values()];
  return new Map((await findIdentities(tx, distinct)).map((identity) => [identityKey(identity), identity]));
}

function requireContact(own: CompanyIdentity[], held: Map<string, string>): string {
  for (const identity of own) {
    const contact = held.get(identityKey(identity));
    if (contact) return contact;
  }
  throw new Error('a person without any identity reached the contacts');
}

/** Finds the contact of one person. An unknown person becomes a newcomer, which later elements of the batch can match and complete. */
function assignContact(
  asked: PersonToFind,
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
    const fields = toShownFields(selectNames(asked, contact, (key) => held.get(key)));
    newcomers.set(contact, {
      contact,
      main: newcomer?.main ?? main,
      name: newcomer?.name ?? asked.person.displayName ?? null,
      source: newcomer?.source ?? asked.source ?? 'INBOUND',
      fields: newcomer ? mergeFields(fields, newcomer.fields) : fields,
    });
  }
  // Other identities of the same person belong to the same contact, also for later elements that only have one of them.
  for (const identity of own) if (!held.has(identityKey(identity))) held.set(identityKey(identity), contact);
}

/** Other transactions created contacts for these people at the same moment; their contacts are used. */
async function useContactsOfOtherProcesses(tx: SystemTx, lost: NewPerson[], held: Map<string, string>): Promise<void> {
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
  { company, person }: PersonToFind,
  contact: string,
  findContact: (key: string) => string | undefined,
): Person['names'] =>
  person.names.filter((name) => (findContact(identityKey({ company, ...name })) ?? contact) === contact);

/**
 * The identities that the batch reported for a contact and that the contact does not have yet. One that the record of another contact shows
 * stays with that contact.
 */
function findAliases(
  own: CompanyIdentity[],
  contact: string,
  known: KnownIdentities,
  held: Map<string, string>,
): IdentityAlias[] {
  return own.length < 2
    ? []
    : own
        .filter((identity) => known.get(identityKey(identity))?.contact !== contact)
        .filter((identity) => !isShownKind(identity) || held.get(identityKey(identity)) === contact)
        .map((identity) => ({ ...identity, contact }));
}

/** Stores new identities of contacts. One that another contact has is moved, because the network says that it is this person's. */
export async function storeAliases(tx: SystemTx, aliases: IdentityAlias[], known: KnownIdentities): Promise<void> {
  const distinct = [...new Map(aliases.map((alias) => [identityKey(alias), alias])).values()];
  const taken = distinct.filter((alias) => known.has(identityKey(alias)));
  const free = distinct.filter((alias) => !known.has(identityKey(alias)));
  if (taken.length > 0) await moveIdentities(tx, taken);
  if (free.length > 0) await claimAliases(tx, free);
}

/** Stores identities that were free. If another transaction has taken one in the meantime, the batch fails and is tried again. */
async function claimAliases(tx: SystemTx, aliases: IdentityAlias[]): Promise<void> {
  const won = new Set((await claimIdentities(tx, aliases)).map(identityKey));
  const lost = aliases.filter((alias) => !won.has(identityKey(alias)));
  if (lost.length === 0) return;
  const holders = await findKnownIdentities(tx, lost);
  if (lost.some((alias) => holders.get(identityKey(alias))?.contact !== alias.contact))
    throw new Error('an identity was taken while its contact was being found');
}

/** What the network reports about a contact and the contact does not have yet; for most messages that is nothing. */
function findNewFacts(
  asked: PersonToFind,
  contact: string,
  own: CompanyIdentity[],
  known: KnownIdentities,
): LearntFact[] {
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
    : [{ company, contact, name, fields: toShownFields(names), replace: false }];
}
