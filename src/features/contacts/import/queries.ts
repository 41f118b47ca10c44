/** Queries of imports and exports; each handles a portion of contacts in one statement. */
import type { Identity } from '../../../channels/identity.ts';
import { many } from '../../../platform/store/db.ts';
import { READ_BYTES } from '../../../platform/store/portions.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { HeldValues } from '../../custom-fields/schemas.ts';
import { buildConditions, type ContactMatch } from '../list/filter-queries.ts';
import { CONTACT, type ContactFields } from '../queries.ts';
import type { Contact, IdentityField } from '../schemas.ts';

export type RowReference = { field: '_id' | 'business' | 'owner'; _id: string };

/**
 * Returns those of the given ids that are contacts, businesses or users of the company; INACTIVE users are marked, because nothing may be
 * assigned to them.
 */
export function findReferences(tx: TenantTx, asked: RowReference[]): Promise<(RowReference & { inactive: boolean })[]> {
  const of = (field: RowReference['field']): string[] =>
    asked.filter((each) => each.field === field).map(({ _id }) => _id);
  return many(tx, {
    name: 'contacts.findPointers',
    text: `select _id, '_id' as field, false as inactive from contacts where company_id = $1 and _id = any($2)
      union all select _id, 'business', false from businesses where company_id = $1 and _id = any($3) and removed_at is null
      union all select _id, 'owner', status = 'INACTIVE' from users where company_id = $1 and _id = any($4) and removed_at is null`,
    values: [tx.companyId, of('_id'), of('business'), of('owner')],
  });
}

/** A contact that rows name, with the fields that show its identities, and those identities whose address differs from their value. */
export type MatchedContact = { _id: string; held: HeldValues; addressed: Identity[] } & Pick<
  ContactFields,
  IdentityField
>;

/** The values of custom fields may be large, and are read only `withValues`. */
export function findMatchedContacts(tx: TenantTx, ids: string[], withValues: boolean): Promise<MatchedContact[]> {
  return many(tx, {
    name: 'contacts.findMatched',
    text: `select _id, phone_number, email, professional_network_identifier, external_id,
        case when $3::boolean then custom_fields else '{}' end as held,
        array(select jsonb_build_object('kind', i.kind, 'value', i.value, 'address', i.address) from contact_identities i
          where i.company_id = $1 and i.contact_id = c._id and i.value <> i.address) as addressed
      from contacts c where company_id = $1 and _id = any($2)`,
    values: [tx.companyId, ids, withValues],
  });
}

interface WalkPlace {
  createdAt: string;
  id: string;
}

/**
 * Reads the next portion of all contacts, newest first: those that match, as many as may be held in memory, and always the last one that
 * was examined, where the next portion begins. A portion costs the same at any depth and for any filter.
 */
export function walkContacts(
  tx: TenantRead,
  match: ContactMatch,
  after: WalkPlace | null,
  reach: number,
): Promise<(Contact & { matches: boolean })[]> {
  const { exact, exactValues } = buildConditions(match);
  const [time, id, limit] = [2, 3, 4].map((number) => `$${number + exactValues.length}`);
  return many(tx, {
    name: 'contacts.walk',
    text: `select ${CONTACT}, c.matches from (
        select *, row_number() over (order by created_at, _id) = 1 as last
        from (
          select *, sum(case when matches then record_bytes else 0 end)
            over (order by created_at desc, _id desc rows between unbounded preceding and 1 preceding) as before
          from (
            select *, (true${exact}) is true as matches from (
              select * from contacts where company_id = $1 and (created_at, _id) < (${time}::timestamptz, ${id}::text)
              order by created_at desc, _id desc limit ${limit}
            ) near
          ) looked
        ) portion where coalesce(before, 0) < ${READ_BYTES}
      ) c where c.matches or c.last order by c.created_at desc, c._id desc`,
    values: [tx.companyId, ...exactValues, after?.createdAt ?? 'infinity', after?.id ?? '', reach],
    planEachTime: true,
  });
}
