/** The lines of a chart: each shows how many there were until each moment. */
import type { CampaignAnalytics } from '@parley/sdk';

export type Hour = CampaignAnalytics['series'][number];
type Count = Exclude<keyof Hour, 'hour'>;

const HOUR_MS = 3_600_000;

/** Returns when the first hour begins and the last one ends. */
export function listHours(series: readonly Hour[]): { begin: string; end: string } {
  const begin = series[0]?.hour ?? new Date(0).toISOString();
  const last = series.at(-1)?.hour ?? begin;
  return { begin, end: new Date(Date.parse(last) + HOUR_MS).toISOString() };
}

export function sumHours(series: readonly Hour[]): Record<Count, number> {
  const sum = (key: Count): number => series.reduce((total, hour) => total + hour[key], 0);
  return {
    sent: sum('sent'),
    delivered: sum('delivered'),
    read: sum('read'),
    replied: sum('replied'),
    failed: sum('failed'),
  };
}

/** Writes a line as the path of a picture that is 100 wide and 100 high. It stays level over hours in which nothing happened. */
export function drawLine(series: readonly Hour[], key: Count, most: number): string {
  const { begin, end } = listHours(series);
  const [from, length] = [Date.parse(begin), Date.parse(end) - Date.parse(begin)];
  let total = 0;
  const points = series.flatMap((hour) => {
    const at = Date.parse(hour.hour) - from;
    const before = total;
    total += hour[key];
    return [
      [at, before],
      [at + HOUR_MS, total],
    ] as const;
  });
  const write = ([at, count]: readonly [number, number]): string =>
    `${((at / length) * 100).toFixed(2)} ${(100 - (count / most) * 100).toFixed(2)}`;
  return `M${points.map(write).join('L')}`;
}
