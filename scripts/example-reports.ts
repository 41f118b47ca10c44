/** The steps that record the examples of reports, about two days of January whose facts are written for them. */
import type { Json, Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

const RANGE = 'from=2026-01-15T00:00:00Z&to=2026-01-17T00:00:00Z';

export async function recordReports(take: Take, { database, demo }: Platform, user: Json): Promise<void> {
  await database.sql(
    `insert into report_facts (company_id, at, kind, total, inbox_id, user_id)
      select $1, f.at, f.kind, f.total, $2, f.user_id from (values
        ('2026-01-15T12:00:00Z'::timestamptz, 'OPENED', 0, null), ('2026-01-15T12:04:00Z', 'FIRST_REPLY', 240, $3),
        ('2026-01-15T12:04:00Z', 'REPLIED', 240, $3), ('2026-01-16T13:00:00Z', 'CLOSED', 90000, $3),
        ('2026-01-16T14:00:00Z', 'OPENED', 0, null)) f (at, kind, total, user_id)`,
    [demo._id, demo.inbox, user._id],
  );
  await take('GET /v1/reports/now');
  await take('GET /v1/reports/summary', `?${RANGE}`);
  const days = `?${RANGE}&time_zone=UTC`;
  await take('GET /v1/reports/series', days);
  await take('GET /v1/reports/series/export', days);
  await take('GET /v1/reports/breakdown', `?by=USER&${RANGE}`);
  await take('GET /v1/reports/breakdown/export', `?by=USER&${RANGE}`);
}
