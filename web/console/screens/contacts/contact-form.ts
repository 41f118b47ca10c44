/** What is typed into the form of a contact, and the change that it makes. */
import type { Contact, ContactCreate } from '@parley/sdk';
import { pickCustomChanges, splitItems, toCustomValues, type CustomValues } from '../../ui/custom-fields.tsx';

export const TEXT_FIELDS = [
  'name',
  'phone_number',
  'email',
  'language',
  'professional_network_identifier',
  'external_id',
] as const;

export interface ContactDraft {
  texts: Readonly<Record<(typeof TEXT_FIELDS)[number], string>>;
  /** The country of a phone number without a country code. */
  country: string;
  tags: string;
  business: string | null;
  owner: string | null;
  opted_out: boolean;
  blocked: boolean;
  custom: CustomValues;
}

export function toDraft(contact: Contact | null): ContactDraft {
  const texts = Object.fromEntries(TEXT_FIELDS.map((field) => [field, contact?.[field] ?? '']));
  return {
    texts: texts as ContactDraft['texts'],
    country: '',
    tags: contact?.tags.join(', ') ?? '',
    business: contact?.business ?? null,
    owner: contact?.owner ?? null,
    opted_out: contact?.opted_out ?? false,
    blocked: contact?.blocked ?? false,
    custom: toCustomValues(contact?.custom_fields ?? []),
  };
}

const toFields = ({ texts, tags, business, owner, opted_out, blocked }: ContactDraft): ContactCreate => ({
  ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, texts[field].trim() || null])),
  tags: splitItems(tags),
  business,
  owner,
  opted_out,
  blocked,
});

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Returns the entries that differ, so that what somebody else has changed meanwhile stays. */
function pickChanges<T extends object>(before: T, after: T): Partial<T> {
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => !isSame(value, known.get(key))),
  ) as Partial<T>;
}

/** Returns the body that makes the record of `before` that of `after`. */
export function toChange(before: ContactDraft, after: ContactDraft): ContactCreate {
  const custom = pickCustomChanges(before.custom, after.custom);
  return {
    ...pickChanges(toFields(before), toFields(after)),
    ...(after.country.trim() && { country: after.country.trim().toUpperCase() }),
    ...(custom && { custom_fields: custom }),
  };
}
