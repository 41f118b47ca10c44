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
import { beginIdentityPlan, giveIdentity, identityKey, type IdentityPlan } from './identity-plan.ts';
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
  const known = looked ?? (await findKnownIdentities(tx, asked.flatMap(listIdentities)));
  const { plan, newcomers, facts, contacts } = planPeople(asked, known);
  const people = [...newcomers.values()];
  const created = new Set(people.length > 0 ? (await insertPeople(tx, people)).map((row) => row._id) : []);
  const lost = people.filter((person) => !created.has(person.contact));
  const winners = lost.length > 0 ? await findWinners(tx, lost) : new Map<string, string>();
  const settle = (contact: string): string => winners.get(contact) ?? contact;
  const stored = new Map([...plan.stored, ...people.map(({ main, contact }) => [identityKey(main), contact] as const)]);
  const aliases = [...plan.given].filter(([key, { contact }]) => stored.get(key) !== contact);
  await storeAliases(
    tx,
    aliases.map(([, alias]) => ({ ...alias, contact: settle(alias.contact) })),
    stored,
  );
  return { contacts: contacts.map(settle), created, changed: await storeLearntFacts(tx, [...facts.values()]) };
}

export async function findKnownIdentities(tx: SystemTx, identities: CompanyIdentity[]): Promise<KnownIdentities> {
  const distinct = [...new Map(identities.map((identity) => [identityKey(identity), identity])).values()];
  return new Map((await findIdentities(tx, distinct)).map((identity) => [identityKey(identity), identity]));
}

interface PeoplePlan {
  plan: IdentityPlan<IdentityAlias>;
  /** The new contacts, by id. */
  newcomers: Map<string, NewPerson>;
  /** What the stored contacts do not have yet, by their ids; nothing for most messages. */
  facts: Map<string, LearntFact>;
  /** The contacts of the people, in their order. */
  contacts: string[];
}

/** Plans the people one after the other: each finds what the earlier ones leave, as if each had been in a batch of its own. */
function planPeople(asked: PersonToFind[], known: KnownIdentities): PeoplePlan {
  const plan = beginIdentityPlan<IdentityAlias>(new Map([...known].map(([key, { contact }]) => [key, contact])));
  const stored = new Map([...known.values()].map((identity) => [identity.contact, identity]));
  const planned: PeoplePlan = { plan, newcomers: new Map(), facts: new Map(), contacts: [] };
  for (const item of asked) {
    const contact = findHolder(plan, item) ?? newId();
    planned.contacts.push(contact);
    learnFields(planned, item, contact, stored.get(contact));
    for (const identity of listIdentities(item)) {
      const key = identityKey(identity);
      const holder = plan.holders.get(key);
      // An identity that the record of another contact shows stays with that contact.
      if (holder === contact || (holder !== undefined && isShownKind(identity))) continue;
      giveIdentity(plan, { ...(plan.given.get(key) ?? identity), contact });
    }
  }
  return planned;
}

const findHolder = ({ holders }: IdentityPlan<IdentityAlias>, asked: PersonToFind): string | undefined =>
  listIdentities(asked)
    .map((identity) => holders.get(identityKey(identity)))
    .find((contact) => contact !== undefined);

/**
 * Notes the fields of a new contact, and those that a stored one does not have yet. The first report of a field counts, but the last one of a
 * username, which people change.
 */
function learnFields(
  { plan: { holders }, newcomers, facts }: PeoplePlan,
  asked: PersonToFind,
  contact: string,
  stored: KnownIdentity | undefined,
): void {
  const { company, person, source = 'INBOUND' } = asked;
  const names = selectNames(asked, contact, (key) => holders.get(key)).filter(
    ({ kind }) => !stored || stored.unfilled.includes(kind),
  );
  const name = (stored?.nameless !== false && person.displayName) || null;
  const before = newcomers.get(contact) ?? facts.get(contact);
  const username = person.username === undefined ? before?.username : person.username;
  const isOtherUsername = username !== undefined && username !== stored?.username;
  if (stored && name === null && names.length === 0 && !isOtherUsername && !before) return;
  const fields = toShownFields(names);
  const learnt = {
    contact,
    name: before?.name ?? name,
    fields: before ? mergeFields(fields, before.fields) : fields,
  };
  if (stored)
    return void facts.set(contact, { ...learnt, company, replace: false, ...(username !== undefined && { username }) });
  const [main] = listIdentities(asked);
  if (!main) throw new Error('a person without any identity reached the contacts');
  newcomers.set(contact, { main, source, ...newcomers.get(contact), ...learnt, username: username ?? null });
}

/** Other transactions created contacts for these people at the same moment. Returns these contacts by the ids that are not used. */
async function findWinners(tx: SystemTx, lost: NewPerson[]): Promise<Map<string, string>> {
  const holders = await findKnownIdentities(
    tx,
    lost.map(({ main }) => main),
  );
  return new Map(
    lost.map(({ main, contact }) => {
      const winner = holders.get(identityKey(main));
      if (!winner) throw new Error('an identity is held by nobody');
      return [contact, winner.contact];
    }),
  );
}

/** The names of the person that the contact has or that are free. Another contact's record may show the others. */
export const selectNames = (
  { company, person }: PersonToFind,
  contact: string,
  findContact: (key: string) => string | undefined,
): Person['names'] =>
  person.names.filter((name) => (findContact(identityKey({ company, ...name })) ?? contact) === contact);

/** Stores new identities of contacts. One that another contact has is moved, because the network says that it is this person's. */
export async function storeAliases(
  tx: SystemTx,
  aliases: IdentityAlias[],
  stored: Pick<KnownIdentities, 'has'>,
): Promise<void> {
  const distinct = [...new Map(aliases.map((alias) => [identityKey(alias), alias])).values()];
  const taken = distinct.filter((alias) => stored.has(identityKey(alias)));
  const free = distinct.filter((alias) => !stored.has(identityKey(alias)));
  if (taken.length > 0) await moveIdentities(tx, taken);
  if (free.length > 0) await claimAliases(tx, free);
}

/** Stores identities that were free. If another transaction has taken one in the meantime, the batch fails and is tried again. */
async function claimAliases(tx: SystemTx, aliases: IdentityAlias[]): Promise<void> {
  if ((await claimIdentities(tx, aliases)) === aliases.length) return;
  const holders = await findKnownIdentities(tx, aliases);
  if (aliases.some((alias) => holders.get(identityKey(alias))?.contact !== alias.contact))
    throw new Error('an identity was taken while its contact was being found');
}
