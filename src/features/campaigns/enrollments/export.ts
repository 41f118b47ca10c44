/** Exports who takes part in a campaign, or its counters, as CSV. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { sendCsv } from '../../../platform/http/download.ts';
import { walkPortions } from '../../../platform/store/portions.ts';
import { csvLine } from '../../../platform/work/sheets/csv.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { toCell } from '../../imports/cells.ts';
import { expectCampaign } from '../campaigns.ts';
import { COUNTED, readAnalytics } from './analytics.ts';
import { walkEnrollments, type WalkedEnrollment } from './queries.ts';
import type { CampaignAnalytics, CampaignExportQuery } from './schemas.ts';

const COLUMNS = [
  '_id',
  'contact',
  'name',
  'phone_number',
  'status',
  'current_step',
  'skip_reason',
  'failure_code',
  'failure_message',
  'conversation',
  'message',
  'next_run_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'replied_at',
  'failed_at',
  'completed_at',
  'createdAt',
] as const satisfies (keyof WalkedEnrollment)[];

// A statement for this many rows takes some ten milliseconds.
const PORTION = 1_000;

export async function exportCampaign(
  kit: Kit,
  tenant: Tenant,
  id: string,
  { query: { content = 'ENROLLMENTS' }, reply }: { query: CampaignExportQuery; reply: FastifyReply },
): Promise<Readable> {
  if (content === 'ANALYTICS') {
    const analytics = await readAnalytics(tenant, id);
    await kit.admitExport(tenant.companyId, reply);
    return sendCsv(reply, 'campaign-analytics.csv', writeCounters(analytics));
  }
  await expectCampaign(tenant.read, id);
  await kit.admitExport(tenant.companyId, reply);
  return sendCsv(reply, 'campaign-enrollments.csv', writePortions(tenant, id));
}

async function* writePortions(tenant: Tenant, campaign: string): AsyncGenerator<string> {
  yield csvLine([...COLUMNS]);
  const portions = walkPortions((last: WalkedEnrollment | null) =>
    walkEnrollments(tenant.walk, campaign, last && { createdAt: last.createdAt, id: last._id }, PORTION),
  );
  for await (const rows of portions)
    yield rows.map((row) => csvLine(COLUMNS.map((column) => toCell(row[column])))).join('');
}

const TOTALS = [
  'total_contacts',
  'pending',
  'unknown',
  ...COUNTED,
  'skipped',
  'cancelled',
] as const satisfies (keyof CampaignAnalytics)[];

type CounterLine = [group: string, item: string | number, counter: string, count: number];

/** One line for each counter, so that a spreadsheet can sum and filter them. */
async function* writeCounters(analytics: CampaignAnalytics): AsyncGenerator<string> {
  const { steps, series, failures, skip_reasons } = analytics;
  const lines: CounterLine[] = [
    ...TOTALS.map((name): CounterLine => ['TOTAL', '', name, analytics[name]]),
    ...skip_reasons.map(({ reason, count }): CounterLine => ['SKIP_REASON', reason, 'skipped', count]),
    ...failures.map(({ code, message, count }): CounterLine => [
      'FAILURE',
      `${code} ${message}`.trim(),
      'failed',
      count,
    ]),
    ...steps.flatMap((step) => COUNTED.map((name): CounterLine => ['STEP', step.index, name, step[name]])),
    ...series.flatMap((hour) => COUNTED.map((name): CounterLine => ['HOUR', hour.hour, name, hour[name]])),
  ];
  yield csvLine(['group', 'item', 'counter', 'count']) + lines.map((line) => csvLine(line.map(toCell))).join('');
}
