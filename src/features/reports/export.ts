/** Reports as CSV. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { sendCsv } from '../../platform/http/download.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { csvLine } from '../../platform/work/sheets/csv.ts';
import { readBreakdown, readSeries } from './reports.ts';
import type { BreakdownQuery, ReportBreakdown, ReportPeriod, SeriesQuery, Times } from './schemas.ts';

interface Asked<Q> {
  query: Q;
  reply: FastifyReply;
}

/** Throws what readSeries throws, and RATE_LIMITED for a third export at once. */
export async function exportSeries(kit: Kit, tenant: Tenant, { query, reply }: Asked<SeriesQuery>): Promise<Readable> {
  const { periods } = await readSeries(tenant, query);
  await kit.admitExport(tenant.companyId, reply);
  return sendCsv(reply, 'report.csv', writePeriods(periods));
}

const PERIOD_COLUMNS = [
  'start',
  'opened',
  'reopened',
  'closed',
  'replies',
  'first_response',
  'reply_time',
  'resolution',
  'answered',
  'handed_over',
  'sla_missed',
  'csat',
  'rated',
  'open_at_end',
] as const satisfies (keyof ReportPeriod)[];

async function* writePeriods(periods: ReportPeriod[]): AsyncGenerator<string> {
  yield (
    csvLine([...PERIOD_COLUMNS]) + periods.map((each) => csvLine(PERIOD_COLUMNS.map((name) => each[name]))).join('')
  );
}

/** Throws what readBreakdown throws, and RATE_LIMITED for a third export at once. */
export async function exportBreakdown(
  kit: Kit,
  tenant: Tenant,
  { query, reply }: Asked<BreakdownQuery>,
): Promise<Readable> {
  const { by, rows } = await readBreakdown(tenant, query);
  await kit.admitExport(tenant.companyId, reply);
  return sendCsv(reply, `report-${by.toLowerCase()}.csv`, writeRows(rows));
}

const nameTimes = (name: string): string[] => [`${name}_average`, `${name}_median`, `${name}_p90`];
const toCells = ({ average, median, p90 }: Times): (number | null)[] => [average, median, p90];

async function* writeRows(rows: ReportBreakdown['rows']): AsyncGenerator<string> {
  const times = [...nameTimes('first_response'), ...nameTimes('reply_time'), ...nameTimes('resolution')];
  const titles = [
    'id',
    'name',
    'opened',
    'reopened',
    'closed',
    'replies',
    ...times,
    'answered',
    'handed_over',
    'sla_missed',
    'csat_sent',
    'csat_rated',
    'csat_average',
    'csat_satisfied',
    'costs',
  ];
  const lines = rows.map(({ id, name, figures }) => {
    const { opened, reopened, first_response, reply_time, resolution, answered, handed_over, sla_missed, csat, costs } =
      figures;
    const counts = [opened, reopened, resolution.count, reply_time.count];
    const durations = [first_response, reply_time, resolution].flatMap(toCells);
    const cost = costs?.map(({ currency, amount }) => `${amount} ${currency}`).join(' ') ?? null;
    return csvLine([
      id,
      name,
      ...counts,
      ...durations,
      answered,
      handed_over,
      sla_missed,
      csat.sent,
      csat.rated,
      csat.average,
      csat.satisfied,
      cost,
    ]);
  });
  yield csvLine(titles) + lines.join('');
}
