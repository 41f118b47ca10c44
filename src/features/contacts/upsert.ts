/** Creates and updates many contacts in one call, for programs that keep the contacts of another system here. */
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { isChangedMeanwhile, repeatOvertaken } from '../../platform/store/overtaken.ts';
import { findPhoneCountry } from '../../platform/store/phone-country.ts';
import { readPhone } from '../../platform/values/phone.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import type { CustomField, Value } from '../custom-fields/schemas.ts';
import { findValueFault, indexByKey, listAllDefinitions } from '../custom-fields/values.ts';
import type { Fault, ReadRow } from '../imports/reading.ts';
import { INACTIVE_USER } from '../users/assignments.ts';
import { toContactSource } from './contacts.ts';
import { storeContacts, type StoredRows } from './import/importer.ts';
import { matchRows, toRowKeys } from './import/match.ts';
import { planContacts } from './import/plan.ts';
import { findReferences, type RowReference } from './import/queries.ts';
import { checkFields, type PersonRow } from './import/rows.ts';
import type { ContactUpsert, ContactUpsertItem, ContactUpsertResult } from './schemas.ts';

type ItemResult = ContactUpsertResult['items'][number];

/**
 * Creates or updates the contacts of a call in one transaction, with their events. An item that cannot be stored is FAILED with its
 * reasons, and the others are stored. Throws FORBIDDEN where the caller may not update contacts, and UNKNOWN_REFERENCE.
 */
export async function upsertContacts(tenant: Tenant, asked: ContactUpsert): Promise<ContactUpsertResult> {
  const { silent = false, update_existing = true } = asked;
  const source = toContactSource(tenant.actor);
  const store = (): Promise<ContactUpsertResult> =>
    tenant.tx(async (tx) => {
      const { rows, definitions } = await readItems(tx, asked);
      const _id = newId();
      tx.created(_id);
      const stored = await storeContacts(tx, rows, { update_existing, silent, tag: null, definitions, source });
      return toResult(_id, rows, stored);
    });
  // A contact that changes between its look-up and its lock makes the whole call begin again.
  return repeatOvertaken(store, isChangedMeanwhile);
}

/** Answers a repeated call: which contacts its items have now. Nothing is written. */
export function findUpserted(tenant: Tenant, _id: string, asked: ContactUpsert): Promise<ContactUpsertResult> {
  return tenant.tx(async (tx) => {
    const { rows, definitions } = await readItems(tx, asked);
    const { drafts, failed } = planContacts(await matchRows(tx, rows), { updates: true, definitions });
    const [gone, found] = [true, false].map((isNew) => [...drafts.values()].filter((draft) => draft.isNew === isNew));
    const missing = (gone ?? []).flatMap((draft) =>
      draft.rows.map(({ number }) => ({ number, faults: [{ field: null, message: 'has been removed since' }] })),
    );
    return toResult(_id, rows, { drafts: found ?? [], changed: new Set(), failed: [...failed, ...missing] });
  });
}

async function readItems(
  tx: TenantTx,
  { contacts, country }: ContactUpsert,
): Promise<{ rows: ReadRow<PersonRow>[]; definitions: CustomField[] }> {
  await expectReferences(tx, contacts);
  const definitions = await listAllDefinitions(tx, 'contact');
  const usual = await findPhoneCountry(tx, country);
  const rows = contacts.map((item, number) => readItem(item, { number, definitions, country: item.country ?? usual }));
  return { rows, definitions };
}

/** Throws UNKNOWN_REFERENCE, or VALIDATION_FAILED for an inactive user, that names the item, such as `contacts[3].owner`. */
async function expectReferences(tx: TenantTx, contacts: ContactUpsertItem[]): Promise<void> {
  const named = contacts.flatMap(({ business, owner }, index) =>
    Object.entries({ business, owner }).flatMap(([name, _id]) =>
      _id ? [{ path: `contacts[${index}].${name}`, field: name as RowReference['field'], _id }] : [],
    ),
  );
  if (named.length === 0) return;
  const found = await findReferences(tx, named);
  for (const { path, field, _id } of named) {
    const known = found.find((each) => each.field === field && each._id === _id);
    if (!known) throw unknownReference(path);
    if (known.inactive) throw invalid(path, INACTIVE_USER);
  }
}

interface ItemRules {
  number: number;
  definitions: CustomField[];
  /** The country of a phone number that is written without + or 00. */
  country: string | null;
}

/** Checks an item by the rules of POST /v1/contacts. Throws UNKNOWN_REFERENCE for a custom field that the company does not have. */
function readItem(
  { country: _country, custom_fields = {}, ...fields }: ContactUpsertItem,
  { number, definitions, country }: ItemRules,
): ReadRow<PersonRow> {
  const byKey = indexByKey(definitions);
  const given = new Map<string, Value | null>();
  const faults: Fault[] = [];
  for (const [key, value] of Object.entries(custom_fields)) {
    const definition = byKey.get(key);
    if (!definition) throw unknownReference(`contacts[${number}].custom_fields.${key}`);
    const message = findFault(definition, value, given);
    if (message === null) given.set(definition.slug, value);
    else faults.push({ field: `custom_fields.${key}`, message });
  }
  const plain: Record<string, unknown> = fields;
  faults.push(...checkFields(plain, country, readPhone));
  const value = { number, _id: null, plain: plain as PersonRow['plain'], given: Object.fromEntries(given) };
  if (toRowKeys(value).length === 0) faults.push({ field: null, message: IDENTITY_WANTED });
  return { number, value, faults };
}

const IDENTITY_WANTED =
  'needs an external_id, phone_number, email or professional_network_identifier, to identify the contact';

function findFault(definition: CustomField, value: Value | null, given: Map<string, Value | null>): string | null {
  if (given.has(definition.slug)) return 'is listed twice';
  return value === null ? null : findValueFault(definition, value);
}

function toResult(_id: string, rows: readonly unknown[], { drafts, changed, failed }: StoredRows): ContactUpsertResult {
  const items: ItemResult[] = [
    ...failed.map(({ number, faults }): ItemResult => ({
      index: number,
      status: 'FAILED',
      contact: null,
      errors: faults,
    })),
    ...drafts.flatMap((draft) =>
      draft.rows.map(({ number }, place): ItemResult => {
        const isCreated = draft.isNew && place === 0;
        const status = isCreated ? 'CREATED' : changed.has(number) ? 'UPDATED' : 'UNCHANGED';
        return { index: number, status, contact: draft._id, errors: [] };
      }),
    ),
  ].toSorted((a, b) => a.index - b.index);
  if (items.length !== rows.length) throw new Error('an item has no result');
  const count = (status: ItemResult['status']): number => items.filter((item) => item.status === status).length;
  return {
    _id,
    created: count('CREATED'),
    updated: count('UPDATED'),
    unchanged: count('UNCHANGED'),
    failed: count('FAILED'),
    items,
  };
}
