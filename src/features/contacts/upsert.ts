/** Creates and updates many contacts in one call, for programs that keep the contacts of another system here. */
import { newId } from '../../platform/ids.ts';
import { findPhoneCountry } from '../../platform/phone-country.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import type { CustomField, Value } from '../custom-fields/schemas.ts';
import { findValueFault, indexByKey, listAllDefinitions } from '../custom-fields/values.ts';
import type { Fault, ReadRow } from '../imports/reading.ts';
import { toContactSource } from './contacts.ts';
import { expectMayUpdate } from './import/import.ts';
import { storeContacts, type StoredRows } from './import/importer.ts';
import { matchRows, toRowKeys } from './import/match.ts';
import { planContacts } from './import/plan.ts';
import { checkFields, type PersonRow } from './import/rows.ts';
import { ContactsChanged } from './import/write.ts';
import type { ContactUpsert, ContactUpsertItem, ContactUpsertResult } from './schemas.ts';

type ItemResult = ContactUpsertResult['items'][number];

// The number of tries: a contact that changes between its look-up and its lock makes the whole call begin again.
const TRIES = 5;

/**
 * Creates or updates the contacts of a call in one transaction, with their events. An item that can not be stored is FAILED with its
 * reasons, and the others are stored. Throws FORBIDDEN where the caller may not update contacts.
 */
export async function upsertContacts(tenant: Tenant, asked: ContactUpsert): Promise<ContactUpsertResult> {
  const { silent = false, update_existing = true } = asked;
  if (update_existing) expectMayUpdate(tenant);
  const source = toContactSource(tenant.actor);
  for (let tries = 1; ; tries += 1) {
    try {
      return await tenant.tx(async (tx) => {
        const { rows, definitions } = await readItems(tx, asked);
        tx.makes(newId());
        return toResult(rows, await storeContacts(tx, rows, { update_existing, silent, definitions, source }));
      });
    } catch (error) {
      // Failure policy: a contact that others change at the same time is looked up again; any other error, and the last one, is thrown on.
      if (!(error instanceof ContactsChanged) || tries === TRIES) throw error;
    }
  }
}

/** Answers a repeated call: which contacts its items have now. Nothing is written. */
export function findUpserted(tenant: Tenant, asked: ContactUpsert): Promise<ContactUpsertResult> {
  return tenant.tx(async (tx) => {
    const { rows } = await readItems(tx, asked);
    const { drafts, failed } = planContacts(await matchRows(tx, rows), true);
    const [gone, found] = [true, false].map((isNew) => [...drafts.values()].filter((draft) => draft.isNew === isNew));
    const missing = (gone ?? []).flatMap((draft) =>
      draft.rows.map(({ number }) => ({ number, faults: [{ field: null, message: 'has been removed since' }] })),
    );
    return toResult(rows, { drafts: found ?? [], written: new Set(), failed: [...failed, ...missing] });
  });
}

async function readItems(
  tx: TenantTx,
  { contacts, country }: ContactUpsert,
): Promise<{ rows: ReadRow<PersonRow>[]; definitions: CustomField[] }> {
  const definitions = await listAllDefinitions(tx, 'contact');
  const usual = await findPhoneCountry(tx, country);
  const rows = contacts.map((item, number) => readItem(item, { number, definitions, country: item.country ?? usual }));
  return { rows, definitions };
}

interface ItemRules {
  number: number;
  definitions: CustomField[];
  /** The country of a phone number that is written without a country code. */
  country: string | null;
}

/** Checks an item by the rules of POST /v1/contacts. */
function readItem(
  { country: _country, custom_fields = {}, ...fields }: ContactUpsertItem,
  { number, definitions, country }: ItemRules,
): ReadRow<PersonRow> {
  const plain: Record<string, unknown> = fields;
  const { given, faults } = readValues(custom_fields, definitions);
  faults.push(...checkFields(plain, country));
  const { _id = null, ...rest } = plain as PersonRow['plain'] & { _id?: string };
  const value = { number, _id, plain: rest, given };
  if (toRowKeys(value).length === 0) faults.push({ field: null, message: IDENTITY_WANTED });
  return { number, value, faults };
}

const IDENTITY_WANTED =
  'needs an external_id, phone_number, email, professional_network_identifier or _id, by which the contact is found again';

function readValues(
  asked: NonNullable<ContactUpsertItem['custom_fields']>,
  definitions: CustomField[],
): { given: Record<string, Value | null>; faults: Fault[] } {
  const byKey = indexByKey(definitions);
  const given = new Map<string, Value | null>();
  const faults: Fault[] = [];
  for (const [key, value] of Object.entries(asked)) {
    const field = `custom_fields.${key}`;
    const definition = byKey.get(key);
    const message = definition ? findFault(definition, value, given) : 'points to nothing';
    if (message !== null) faults.push({ field, message });
    else if (definition) given.set(definition.slug, value);
  }
  return { given: Object.fromEntries(given), faults };
}

function findFault(definition: CustomField, value: Value | null, given: Map<string, Value | null>): string | null {
  if (given.has(definition.slug)) return 'is named twice';
  return value === null ? null : findValueFault(definition, value);
}

function toResult(rows: readonly unknown[], { drafts, written, failed }: StoredRows): ContactUpsertResult {
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
        const status = isCreated ? 'CREATED' : written.has(draft._id) ? 'UPDATED' : 'UNCHANGED';
        return { index: number, status, contact: draft._id, errors: [] };
      }),
    ),
  ].toSorted((a, b) => a.index - b.index);
  if (items.length !== rows.length) throw new Error('an item has no result');
  const count = (status: ItemResult['status']): number => items.filter((item) => item.status === status).length;
  return {
    created: count('CREATED'),
    updated: count('UPDATED'),
    unchanged: count('UNCHANGED'),
    failed: count('FAILED'),
    items,
  };
}
