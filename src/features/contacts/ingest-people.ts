/**
 * From the names that networks use to contacts, for a whole batch. A phone counts more than an id of the network; a person
 * whom nobody knows becomes a contact exactly once, whoever else is asking at the same moment.
 */
import type { Person } from '../../channels/channel.ts';
import { newId } from '../../platform/ids.ts';
import { onlyDigits, phoneKey, readablePhone } from '../../platform/phone.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import {
  claimIdentities,
  findIdentities,
  insertPeople,
  learnFacts,
  moveIdentities,
  type Identity,
  type KnownIdentity,
  type LearntFact,
  type NewPerson,
} from './ingest-queries.ts';

export interface AskedPerson {
  company: string;
  person: Person;
  /** Other names under which the network knows the same person. */
  also?: Person[];
}

export interface FoundPeople {
  /** Contact ids, in the order asked. */
  contacts: string[];
  created: Set<string>;
  /** Contacts whose own fields changed by what the network told. */
  changed: Set<string>;
}

export const keyOf = (identity: { company: string; kind: string; value: string }): string =>
  `${identity.company} ${identity.kind} ${identity.value}`;

/** The most telling first. */
export function identitiesOf({ company, person, also = [] }: AskedPerson): Identity[] {
  return [person, ...also].flatMap((names) => namesOf(company, names));
}

function namesOf(company: string, person: Person): Identity[] {
  const identities: Identity[] = [];
  if (person.phone)
    identities.push({ company, kind: 'PHONE', value: phoneKey(person.phone), address: onlyDigits(person.phone) });
  for (const bsuid of [person.bsuid, person.parentBsuid]) {
    if (bsuid) identities.push({ company, kind: 'BSUID', value: bsuid, address: bsuid });
  }
  return identities;
}

/** The name by which a person is found first, as conversations remember who wrote in them. */
export const nameOf = (asked: AskedPerson): string | null => identitiesOf(asked)[0]?.value ?? null;

export type Known = Map<string, KnownIdentity>;

/** `looked`: what the store knows of all their names, where that has been looked up a moment ago. */
export async function resolvePeople(tx: SystemTx, asked: AskedPerson[], looked?: Known): Promise<FoundPeople> {
  const identities = asked.map(identitiesOf);
  const known = looked ?? (await knownOf(tx, identities.flat()));
  const held = new Map([...known].map(([key, identity]) => [key, identity.contact]));
  const newcomers = new Map<string, NewPerson>();
  for (const [index, own] of identities.entries()) welcome(asked[index] as AskedPerson, own, held, newcomers);
  const people = [...newcomers.values()];
  const created = new Set(people.length > 0 ? (await insertPeople(tx, people)).map((row) => row._id) : []);
  const lost = people.filter((person) => !created.has(person.contact));
  if (lost.length > 0) await yieldTo(tx, lost, held);
  const contacts = identities.map((own) => holderOf(own, held));
  const mains = new Set(people.map((person) => keyOf(person.main)));
  const aliases = identities.flatMap((own, index) => aliasesOf(own, contacts[index] ?? '', known));
  await attach(
    tx,
    aliases.filter((alias) => !mains.has(keyOf(alias))),
    known,
  );
  const facts = asked.flatMap((item, index) => news(item, contacts[index] ?? '', identities[index] ?? [], known));
  return { contacts, created, changed: await learn(tx, facts) };
}

export async function knownOf(tx: SystemTx, identities: Identity[]): Promise<Known> {
  const distinct = [...new Map(identities.map((identity) => [keyOf(identity), identity])).values()];
  return new Map((await findIdentities(tx, distinct)).map((identity) => [keyOf(identity), identity]));
}

function holderOf(own: Identity[], held: Map<string, string>): string {
  for (const identity of own) {
    const contact = held.get(keyOf(identity));
    if (contact) return contact;
  }
  throw new Error('a person without any identity reached the contacts');
}

/**
 * Decides who an asked person is. One that nobody holds becomes a newcomer, shared by the rest of the batch, which may
 * tell more of it.
 */
function welcome(
  asked: AskedPerson,
  own: Identity[],
  held: Map<string, string>,
  newcomers: Map<string, NewPerson>,
): void {
  const [main] = own;
  if (!main) return;
  const holder = own.map((identity) => held.get(keyOf(identity))).find((contact) => contact !== undefined);
  const contact = holder ?? newId();
  const newcomer = newcomers.get(contact);
  if (newcomer || !holder) {
    const { name, phone_number, country_code } = factOf(asked.company, contact, asked.person, false);
    newcomers.set(contact, {
      contact,
      main: newcomer?.main ?? main,
      name: newcomer?.name ?? name,
      phone_number: newcomer?.phone_number ?? phone_number,
      country_code: newcomer?.country_code ?? country_code,
    });
  }
  // A name beside one that is held is the same person's, also for an element that has only that name.
  for (const identity of own) if (!held.has(keyOf(identity))) held.set(keyOf(identity), contact);
}

/** Somebody else created these people at the same moment: theirs count. */
async function yieldTo(tx: SystemTx, lost: NewPerson[], held: Map<string, string>): Promise<void> {
  const winners = await findIdentities(
    tx,
    lost.map((person) => person.main),
  );
  const winnerOf = new Map(winners.map((identity) => [keyOf(identity), identity.contact]));
  for (const person of lost) {
    const winner = winnerOf.get(keyOf(person.main));
    if (!winner) throw new Error('an identity is held by nobody');
    for (const [key, contact] of held) if (contact === person.contact) held.set(key, winner);
  }
}

/** Identities that the batch showed beside the one by which its contact was found. */
function aliasesOf(own: Identity[], contact: string, known: Known): (Identity & { contact: string })[] {
  return own.length < 2
    ? []
    : own
        .filter((identity) => known.get(keyOf(identity))?.contact !== contact)
        .map((identity) => ({ ...identity, contact }));
}

/** Those that another contact is known to hold move: the network says that they are this person. */
export async function attach(tx: SystemTx, aliases: (Identity & { contact: string })[], known: Known): Promise<void> {
  const distinct = [...new Map(aliases.map((alias) => [keyOf(alias), alias])).values()];
  const taken = distinct.filter((alias) => known.has(keyOf(alias)));
  const free = distinct.filter((alias) => !known.has(keyOf(alias)));
  if (taken.length > 0) await moveIdentities(tx, taken);
  if (free.length > 0) await claim(tx, free);
}

/** Whoever took one of these since we looked may be the same person: then the batch is tried again with what is known now. */
async function claim(tx: SystemTx, aliases: (Identity & { contact: string })[]): Promise<void> {
  const won = new Set((await claimIdentities(tx, aliases)).map(keyOf));
  const lost = aliases.filter((alias) => !won.has(keyOf(alias)));
  if (lost.length === 0) return;
  const holders = await knownOf(tx, lost);
  if (lost.some((alias) => holders.get(keyOf(alias))?.contact !== alias.contact))
    throw new Error('an identity was taken while its contact was being found');
}

/** What the network tells of a contact that does not have it yet; most messages tell nothing new. */
function news({ company, person }: AskedPerson, contact: string, own: Identity[], known: Known): LearntFact[] {
  const hit = own.map((identity) => known.get(keyOf(identity))).find((identity) => identity?.contact === contact);
  const telling = hit && ((hit.nameless && person.name) || (hit.phoneless && person.phone));
  return telling ? [factOf(company, contact, person, false)] : [];
}

export function factOf(company: string, contact: string, person: Person, replace: boolean): LearntFact {
  const phone = person.phone ? readablePhone(person.phone) : { phone_number: null, country_code: null };
  return { company, contact, name: person.name ?? null, ...phone, replace };
}

export async function learn(tx: SystemTx, facts: LearntFact[]): Promise<Set<string>> {
  if (facts.length === 0) return new Set();
  // One row per contact, as an UPDATE takes only one: of each fact the last one that was told.
  const told = new Map<string, LearntFact>();
  for (const fact of facts) {
    const before = told.get(fact.contact);
    const phone = fact.phone_number || !before ? fact : before;
    const { phone_number, country_code } = phone;
    told.set(fact.contact, { ...fact, name: fact.name ?? before?.name ?? null, phone_number, country_code });
  }
  return new Set((await learnFacts(tx, [...told.values()])).map((row) => row._id));
}
