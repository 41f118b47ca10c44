/**
 * Which contact has which identity while the rows of a portion, or the people of a batch, are planned one after the other. Nothing is stored
 * yet: an item sees what the items before it take and give up.
 */
import type { Identity } from '../../channels/identity.ts';
import type { HeldIdentity } from './name-queries.ts';

/** `company`: only for items of several companies. */
export const identityKey = ({ company = '', kind, value }: { company?: string; kind: string; value: string }): string =>
  `${company} ${kind} ${value}`;

/** An identity that goes to a contact. */
export type GivenIdentity = Identity & { contact: string };

export interface IdentityPlan<Given extends GivenIdentity = GivenIdentity> {
  /** Which contact has each identity after the items that were planned so far, by key. */
  holders: Map<string, string>;
  /** Which contact had each identity before the first item, by key. */
  stored: ReadonlyMap<string, string>;
  /** The identities that items have given to contacts, by key. */
  given: Map<string, Given>;
  /** The stored identities that items have replaced, by contact and key. */
  released: Map<string, HeldIdentity>;
}

export const beginIdentityPlan = <Given extends GivenIdentity = GivenIdentity>(
  stored: ReadonlyMap<string, string>,
): IdentityPlan<Given> => ({
  holders: new Map(stored),
  stored,
  given: new Map(),
  released: new Map(),
});

/** Gives an identity to a contact. */
export function giveIdentity<Given extends GivenIdentity>(
  { holders, given }: IdentityPlan<Given>,
  identity: Given,
): void {
  const key = identityKey(identity);
  holders.set(key, identity.contact);
  given.set(key, identity);
}

/** Takes an identity from the contact if it has it; nothing happens when another contact has it. */
export function releaseIdentity(
  { holders, given, released }: IdentityPlan,
  { kind, value, contact }: HeldIdentity,
): void {
  const key = identityKey({ kind, value });
  const holder = holders.get(key) ?? contact;
  if (holder !== contact) return;
  holders.delete(key);
  if (!given.delete(key)) released.set(`${contact} ${key}`, { kind, value, contact });
}

export interface IdentityChanges {
  /** Identities that no contact had. */
  inserted: GivenIdentity[];
  /** Identities that go from one contact to another, or stay with theirs in another writing. */
  passed: (GivenIdentity & { from: string })[];
  deleted: HeldIdentity[];
}

/** Compares the end of the plan with its beginning. */
export function listIdentityChanges({ stored, given, released }: IdentityPlan): IdentityChanges {
  const all = [...given].map(([key, identity]) => ({ ...identity, from: stored.get(key) }));
  return {
    inserted: all.flatMap(({ from, ...identity }) => (from === undefined ? [identity] : [])),
    passed: all.flatMap(({ from, ...identity }) => (from === undefined ? [] : [{ ...identity, from }])),
    deleted: [...released.values()].filter((identity) => !given.has(identityKey(identity))),
  };
}
