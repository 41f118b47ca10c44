/** Statements that add the facts of all companies to their counters. */
import { maybeOne, oneValue } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { spreadFacts } from './facts-sql.ts';

export const HAS_FACTS = 'exists (select from report_facts)';

/** Returns the first company after this one that has facts. */
export function findNextCompany(tx: SystemTx, after: string): Promise<{ company: string } | null> {
  return maybeOne(tx, {
    name: 'reports.findNextCompany',
    text: 'select company_id as company from report_facts where company_id > $1 order by company_id limit 1',
    values: [after],
  });
}

/** Makes the processes that fold the facts of a company take turns. */
export function tryLockFacts(tx: SystemTx, company: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'reports.tryLockFacts',
    text: `select pg_try_advisory_xact_lock(hashtextextended('reports:' || $1::text, 0)) as locked`,
    values: [company],
  });
}

/** Adds the oldest facts of a company to its counters and deletes them. Returns how many there were. */
export function foldFacts(tx: SystemTx, company: string, most: number): Promise<number> {
  return oneValue(tx, {
    name: 'reports.foldFacts',
    text: `with taken as (
        delete from report_facts where company_id = $1
          and _id = any(array(select _id from report_facts where company_id = $1 order by _id limit $2))
        returning *
      ), spread as (${spreadFacts('taken')}), folded as (
        insert into report_counters as c (company_id, dimension, subject, kind, grain, at, currency, bucket, count, total)
          select company_id, dimension, subject, kind, g.grain, date_trunc(g.grain, at, 'UTC'), currency, bucket, sum(count), sum(total)
          from spread cross join (values ('HOUR'), ('DAY'), ('MONTH')) g (grain)
          group by 1, 2, 3, 4, 5, 6, 7, 8
        on conflict (company_id, dimension, subject, kind, grain, at, currency, bucket)
          do update set count = c.count + excluded.count, total = c.total + excluded.total
      )
      select count(*)::int as folded from taken`,
    values: [company, most],
  });
}
