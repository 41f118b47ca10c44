/**
 * Which contact has which identity while the rows of a portion are planned one after the other. Nothing is stored yet: a row sees what the
 * rows before it take and give up.
 */
import type { Identity } from '../../../channels/identity.ts';
import type { HeldIdentity } from '../name-queries.ts';

export const toKeyText = ({ kind, value }: Pick<Identity, 'kind' | 'value'>): string => `${kind} ${value}`;

/** An identity that goes to a contact. */
export type GivenIdentity = Identity & { contact: string };

export interface IdentityPlan {
  /** Which contact has each identity after the rows that were planned so far, by key. */
  holders: Map<string, string>;
  /** Which contact had each identity before the first row, by key. */
  stored: ReadonlyMap<string, string>;
  /** The identities that rows have given to contacts, by key. */
  given: Map<string, GivenIdentity>;
  /** The stored identities that rows have replaced, by key, and the contacts that had them. */
  released: Map<string, HeldIdentity>;
}

export const beginIdentityPlan = (stored: ReadonlyMap<string, string>): IdentityPlan => ({
  holders: new Map(stored),
  stored,
  given: new Map(),
  released: new Map(),
});

/** Gives an identity that no one has to a contact. */
export function giveIdentity({ holders, given }: IdentityPlan, { kind, value, address, contact }: GivenIdentity): void {
  const key = toKeyText({ kind, value });
  holders.set(key, contact);
  given.set(key, { kind, value, address, contact });
}

/** Takes an identity from the contact that shows it; nothing happens when another contact has it. */
export function releaseIdentity(
  { holders, given, released }: IdentityPlan,
  { kind, value, contact }: HeldIdentity,
): void {
  const key = toKeyText({ kind, value });
  const holder = holders.get(key) ?? contact;
  if (holder !== contact) return;
  holders.delete(key);
  if (!given.delete(key)) released.set(key, { kind, value, contact });
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
    deleted: [...released].flatMap(([key, identity]) => (given.has(key) ? [] : [identity])),
  };
}
