import { exec, many, oneValue } from '../../platform/store/db.ts';
import type { SystemTx, TenantRead } from '../../platform/store/tenant.ts';

/**
 * Makes the database note what changes in these companies for the next three hours. What an earlier call began goes on without a gap as
 * long as the calls are less than two hours apart.
 */
export function noteChangesOf(tx: SystemTx, companies: string[]): Promise<number> {
  return exec(tx, {
    name: 'live.noteChanges',
    text: `insert into live_companies as l (company_id, noted_until)
      select company, now() + interval '3 hours' from unnest($1::text[]) company order by company
      on conflict (company_id) do update set noted_until = excluded.noted_until,
        since_xid = case when l.noted_until < now() + interval '1 hour' then excluded.since_xid else l.since_xid end`,
    values: [companies],
  });
}

/** Returns those of the companies for which no transaction is open any more that began before their changes were noted. */
export async function listSettled(tx: SystemTx, companies: string[]): Promise<string[]> {
  const rows = await many<{ company: string }>(tx, {
    name: 'live.listSettled',
    text: `select company_id as company from live_companies
      where company_id = any($1::text[]) and since_xid < pg_snapshot_xmin(pg_current_snapshot())`,
    values: [companies],
  });
  return rows.map(({ company }) => company);
}

// The digits before the number of a WAL file. A standby that is promoted begins a new timeline, in which transactions that it had not received
// did not happen, and later ones have their numbers.
const TIMELINE = `substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;
/** The snapshot in the parameter $2, behind its timeline. */
const GIVEN = `split_part($2, '.', 2)::pg_snapshot`;

/** Returns true when all changes of the company that the snapshot does not contain have been noted, and in this timeline of the database. */
export function isSnapshotUsable(tx: SystemTx, company: string, snapshot: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'live.isSnapshotUsable',
    text: `select exists (select from live_companies where company_id = $1 and since_xid < pg_snapshot_xmin(${GIVEN})
        and pg_snapshot_xmax(${GIVEN}) <= pg_snapshot_xmax(pg_current_snapshot()) and split_part($2, '.', 1) = ${TIMELINE}) as usable`,
    values: [company, snapshot],
  });
}

/** Records of one table that one statement has changed. */
export interface NotedChange {
  company: string;
  kind: string;
  ids: string[];
}

export interface Noted {
  /** The database's timeline, and the transactions that had ended when the changes were read (pg_snapshot): `00000001.10:20:10,14`. */
  snapshot: string;
  changes: NotedChange[];
}

type NotedRow = { snapshot: string } & (NotedChange | { [field in keyof NotedChange]: null });

/** Reads what has changed in these companies since the snapshot; with null only the present snapshot. */
export async function readNoted(tx: SystemTx, companies: string[], since: string | null): Promise<Noted> {
  const rows = await many<NotedRow>(tx, {
    name: 'live.readNoted',
    text: `select s.snapshot, c.company, c.kind, c.ids from (select ${TIMELINE} || '.' || pg_current_snapshot() as snapshot) s
      left join lateral (
        select r.company_id as company, r.kind, r.record_ids as ids from unnest($1::text[]) watched join record_changes r
          on r.company_id = watched and r.xid >= pg_snapshot_xmin(${GIVEN})
        where not pg_visible_in_snapshot(r.xid, ${GIVEN})
      ) c on true`,
    values: [companies, since],
  });
  const [first] = rows;
  if (!first) throw new Error('the statement answers at least the snapshot');
  return { snapshot: first.snapshot, changes: rows.filter((row) => row.company !== null) };
}

/** Returns the inbox of each of these conversations. */
export async function findInboxesOf(tx: TenantRead, conversations: string[]): Promise<Map<string, string>> {
  const rows = await many<{ _id: string; inbox: string }>(tx, {
    name: 'live.findInboxesOf',
    text: 'select _id, inbox_id as inbox from conversations where company_id = $1 and _id = any($2::text[])',
    values: [tx.companyId, conversations],
  });
  return new Map(rows.map(({ _id, inbox }) => [_id, inbox]));
}
