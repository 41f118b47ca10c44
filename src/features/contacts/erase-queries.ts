/**
 * Queries that erase what belongs to a contact: conversations and messages, links of table rows, and words of the person in other tables.
 */
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import { selectPortionSql, READ_BYTES, REWRITTEN_BYTES } from '../../platform/store/portions.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { IDENTITY_FIELDS } from './schemas.ts';

/** Deletes messages of the contact a portion at a time, because a contact may have more than one statement can delete. */
export function eraseMessages(tx: TenantTx, contact: string, limit: number): Promise<number> {
  const rows = `select m._id, m.record_bytes as bytes
    from conversations v join messages m on m.company_id = v.company_id and m.conversation_id = v._id
    where v.company_id = $1 and v.contact_id = $2 limit $3`;
  return exec(tx, {
    name: 'contacts.eraseMessages',
    text: `delete from messages where company_id = $1 and _id = any(array(${selectPortionSql({ rows, order: '_id', most: READ_BYTES })}))`,
    values: [tx.companyId, contact, limit],
  });
}

/** Deletes a portion of the contact's conversations, whose messages are gone. */
export function eraseThreads(tx: TenantTx, contact: string, limit: number): Promise<number> {
  const rows =
    'select _id, record_bytes as bytes from conversations where company_id = $1 and contact_id = $2 limit $3';
  return exec(tx, {
    name: 'contacts.eraseThreads',
    text: `delete from conversations where company_id = $1 and _id = any(array(${selectPortionSql({ rows, order: '_id', most: READ_BYTES })}))`,
    values: [tx.companyId, contact, limit],
  });
}

/** Removes the contact from a portion of the table rows that name it. The foreign key clears rows that another transaction is changing. */
export function unlinkRows(tx: TenantTx, contact: string, limit: number): Promise<number> {
  const rows = `select _id, record_bytes as bytes from table_rows where company_id = $1 and contact_id = $2
    limit $3 for no key update skip locked`;
  return exec(tx, {
    name: 'contacts.unlinkRows',
    text: `update table_rows set contact_id = null, updated_at = now() where company_id = $1 and _id = any(array(
        ${selectPortionSql({ rows, order: '_id', most: REWRITTEN_BYTES })}))`,
    values: [tx.companyId, contact, limit],
  });
}

/** The names by which networks know the contact, in the form for comparison and in the form that the network writes. */
export async function listNetworkIdentities(tx: TenantTx, contact: string): Promise<string[]> {
  const rows = await many<{ name: string }>(tx, {
    name: 'contacts.listNetworkNames',
    text: `select distinct name from contact_identities, unnest(array[value, address]) as name
      where company_id = $1 and contact_id = $2 and kind <> $3`,
    values: [tx.companyId, contact, IDENTITY_FIELDS.external_id.kind],
  });
  return rows.map(({ name }) => name);
}

/** Records that `absorbed`, with all contacts that were merged into it before, was merged into `contact`. */
export function storeAbsorbedContact(tx: TenantTx, contact: string, absorbed: string): Promise<number> {
  return exec(tx, {
    name: 'contacts.noteAbsorbed',
    text: `with moved as (
        update absorbed_contacts set contact_id = $2 where company_id = $1 and contact_id = $3
      )
      insert into absorbed_contacts (company_id, _id, contact_id) values ($1, $3, $2)`,
    values: [tx.companyId, contact, absorbed],
  });
}

export async function listAbsorbedContacts(tx: TenantTx, contact: string): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'contacts.listAbsorbed',
    text: 'select _id from absorbed_contacts where company_id = $1 and contact_id = $2',
    values: [tx.companyId, contact],
  });
  return rows.map(({ _id }) => _id);
}

/** Deletes edits that wait for a message which never came. They belong to no contact, so they are found by their sender. */
export function eraseParkedEdits(tx: TenantTx, names: string[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.eraseParked',
    text: `delete from parked_updates where company_id = $1 and kind = 'EDIT' and payload ->> 'from' = any($2)`,
    values: [tx.companyId, names],
  });
}

interface KeptPortion {
  company: string;
  names: string[];
  after: string;
  limit: number;
}

/**
 * Looks at the next portion of unreadable callbacks that were kept, and deletes those that contain one of these names and came to an inbox
 * of the company. A callback whose inbox could not be read stays until its retention ends: it may concern another company, and anybody can
 * create a contact with a stranger's number. Returns the last id of the portion; null when none was left.
 */
export async function eraseKeptCallbacksPortion(
  tx: SystemTx,
  { company, names, after, limit }: KeptPortion,
): Promise<string | null> {
  const rows = 'select _id, octet_length(raw) as bytes from callbacks_aside where _id > $3 order by _id limit $4';
  const row = await maybeOne<{ last: string | null }>(tx, {
    name: 'contacts.eraseAside',
    text: `with portion as (
        select _id, address, raw from callbacks_aside where _id = any(array(${selectPortionSql({ rows, order: '_id', most: READ_BYTES })}))
      ), erased as (
        delete from callbacks_aside a using portion p where a._id = p._id
          and exists (select 1 from inboxes i where i.company_id = $1 and i.network_address = p.address)
          and exists (select 1 from unnest($2::text[]) as name where position(convert_to(name, 'UTF8') in p.raw) > 0)
      )
      select max(_id) as last from portion`,
    values: [company, names, after, limit],
  });
  return row?.last ?? null;
}
