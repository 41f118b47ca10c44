/** Finds the names of records by their ids. */
import { many } from './db.ts';
import type { TenantRead } from './tenant.ts';

/** The query of each kind: the id and the name of all of the company's records. */
export type NameQueries<Kind extends string> = Readonly<Record<Kind, string>>;

/**
 * Returns the names that records have now, with one statement for each kind of which there are ids. Records that are erased or have no name
 * are left out.
 */
export async function findNames<Kind extends string>(
  tx: TenantRead,
  queries: NameQueries<Kind>,
  idsByKind: ReadonlyMap<Kind, ReadonlySet<string>>,
): Promise<Map<string, string>> {
  const asked = [...idsByKind].filter(([, ids]) => ids.size > 0);
  const found = await Promise.all(
    asked.map(([kind, ids]) =>
      many<{ _id: string; name: string | null }>(tx, {
        name: `names.${kind}`,
        text: `select n._id, n.name from (${queries[kind]}) n (_id, name) where n._id = any($2::text[])`,
        values: [tx.companyId, [...ids]],
      }),
    ),
  );
  return new Map(found.flat().flatMap(({ _id, name }) => (name === null ? [] : [[_id, name]])));
}

/** Sorts ids by the kind of their record. */
export function groupIds<Kind extends string>(named: Iterable<readonly [Kind, string | null]>): Map<Kind, Set<string>> {
  const groups = new Map<Kind, Set<string>>();
  for (const [kind, id] of named) {
    if (id === null) continue;
    groups.set(kind, (groups.get(kind) ?? new Set()).add(id));
  }
  return groups;
}
