/** The columns of the comparison, and the order of its rows. */
import type { ReportBreakdown, ReportFigures } from '@parley/sdk';
import { formatMoney, formatNumber, formatScore, formatSeconds } from '../../texts/formats.ts';

export type Row = ReportBreakdown['rows'][number];
export type Dimension = ReportBreakdown['by'];

export const COMPARED: readonly Dimension[] = ['USER', 'AGENT', 'TEAM', 'INBOX', 'CAMPAIGN', 'TAG'];

/** What users compare who see only some inboxes: the figures of the others include the rest. */
export const COMPARED_BY_SOME: readonly Dimension[] = ['INBOX'];

export type Column =
  | 'opened'
  | 'replies'
  | 'closed'
  | 'firstResponse'
  | 'resolution'
  | 'slaMissed'
  | 'csat'
  | 'answered'
  | 'handedOver'
  | 'cost';

const WORK = ['replies', 'closed', 'firstResponse', 'resolution', 'slaMissed', 'csat'] as const;

export const COLUMNS: Record<Dimension, readonly Column[]> = {
  USER: WORK,
  AGENT: ['answered', 'handedOver', 'closed', 'firstResponse', 'csat', 'cost'],
  TEAM: WORK,
  INBOX: ['opened', ...WORK],
  CAMPAIGN: ['opened', ...WORK],
  TAG: WORK,
};

export interface Order {
  column: Column | 'name';
  isUp: boolean;
}

const VALUES: Record<Column, (figures: ReportFigures) => number | null> = {
  opened: ({ opened }) => opened,
  replies: ({ reply_time }) => reply_time.count,
  closed: ({ resolution }) => resolution.count,
  firstResponse: ({ first_response }) => first_response.median,
  resolution: ({ resolution }) => resolution.median,
  slaMissed: ({ sla_missed }) => sla_missed,
  csat: ({ csat }) => csat.average,
  answered: ({ answered }) => answered,
  handedOver: ({ handed_over }) => handed_over,
  cost: ({ costs }) => costs?.reduce((sum, { amount }) => sum + amount, 0) ?? null,
};

/** Rows without a value come last in both directions. */
export function sortRows(rows: readonly Row[], { column, isUp }: Order): Row[] {
  const sign = isUp ? 1 : -1;
  if (column === 'name') return rows.toSorted((a, b) => sign * (a.name ?? '').localeCompare(b.name ?? ''));
  const read = VALUES[column];
  return rows.toSorted((a, b) => {
    const [left, right] = [read(a.figures), read(b.figures)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}

export function formatCell(column: Column, figures: ReportFigures): string {
  if (column === 'cost') return figures.costs?.map(formatMoney).join(' + ') || '–';
  const value = VALUES[column](figures);
  if (value === null) return '–';
  if (column === 'csat') return formatScore(value);
  return column === 'firstResponse' || column === 'resolution' ? formatSeconds(value) : formatNumber(value);
}
