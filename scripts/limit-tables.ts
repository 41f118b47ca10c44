/** Writes the tables of docs/limits.md from what declares the limits. */
import { LIMIT_TOPICS, type DeclaredLimit, type LimitUnit } from '../src/platform/values/limits.ts';
import type { SettingTable } from '../src/platform/values/setting-kinds.ts';
import { writeTable } from './built-files.ts';

const writeNumber = (value: number): string => value.toLocaleString('en-US');

const KB = 1024;
const DAY_SECONDS = 86_400;

export function writeBytes(bytes: number): string {
  for (const [size, name] of [
    [KB ** 3, 'GB'],
    [KB ** 2, 'MB'],
    [1e6, 'MB'],
    [KB, 'kB'],
  ] as const)
    if (bytes % size === 0) return `${writeNumber(bytes / size)} ${name}`;
  return `${writeNumber(bytes)} bytes`;
}

const writePeriod = (count: number, unit: string): string => `${writeNumber(count)} ${unit}${count === 1 ? '' : 's'}`;

function writeSeconds(seconds: number): string {
  if (seconds < 1) return `${seconds * 1_000} ms`;
  if (seconds % DAY_SECONDS === 0 && seconds > 3 * DAY_SECONDS) return writePeriod(seconds / DAY_SECONDS, 'day');
  if (seconds % 3_600 === 0) return writePeriod(seconds / 3_600, 'hour');
  if (seconds % 60 === 0 && seconds > 60) return writePeriod(seconds / 60, 'minute');
  return `${writeNumber(seconds)} s`;
}

const UNITS: Record<LimitUnit, (value: number) => string> = {
  count: writeNumber,
  characters: (value) => `${writeNumber(value)} characters`,
  percent: (value) => `${writeNumber(value * 100)} %`,
  bytes: writeBytes,
  megabytes: (value) => `${writeNumber(value)} MB`,
  ms: (value) => writeSeconds(value / 1_000),
  seconds: writeSeconds,
  minutes: (value) => writeSeconds(value * 60),
  hours: (value) => writeSeconds(value * 3_600),
  days: (value) => writePeriod(value, 'day'),
  perSecond: (value) => (value < 1 ? UNITS.perMinute(value * 60) : `${writeNumber(value)} per second`),
  perMinute: (value) => `${writeNumber(value)} per minute`,
  perDay: (value) => `${writeNumber(value)} per day`,
  bytesPerSecond: (value) => `${writeBytes(value)} per second`,
  megabytesPerSecond: (value) => `${writeNumber(value)} MB per second`,
};

/** The default of the setting is where the setting is declared. */
function writeValue({ value, unit = 'count', setting }: DeclaredLimit, settings: SettingTable): string {
  const declared = new Map(Object.entries(settings));
  if (setting !== undefined && !declared.has(setting))
    throw new Error(`${setting}, which changes a limit, is no setting`);
  const found = value ?? declared.get(setting ?? '')?.fallback;
  const written = typeof found === 'number' ? UNITS[unit](found) : 'none';
  return setting === undefined ? written : `${written} (\`${setting}\`)`;
}

const SECTION = /(?<=<!-- Written by npm run limits: ([^>]+) -->\n).*?(?=<!-- End -->)/gs;

/** Returns the page with a new table in each of its sections. `further` are the sections that no limits are declared for. */
export function replaceLimitTables(
  page: string,
  {
    limits,
    settings,
    further,
  }: { limits: readonly DeclaredLimit[]; settings: SettingTable; further: ReadonlyMap<string, string[]> },
): string {
  const tables = new Map(further);
  for (const topic of LIMIT_TOPICS) {
    const rows = limits
      .filter((limit) => limit.topic === topic)
      .toSorted((a, b) => sortText(a).localeCompare(sortText(b), 'en'))
      .map((limit) => [limit.what, writeValue(limit, settings), limit.beyond]);
    const twice = rows.find(([what], index) => what === rows[index - 1]?.[0]);
    if (twice) throw new Error(`two limits of ${topic} are called "${twice[0]}"`);
    tables.set(topic, writeTable(['What', 'Limit', 'Beyond it'], rows));
  }
  const written = page.replace(SECTION, (_old, name: string) => {
    const table = tables.get(name);
    if (!table) throw new Error(`the page has a section "${name}", for which there are no limits`);
    tables.delete(name);
    return ['', ...table, ''].join('\n');
  });
  if (tables.size > 0) throw new Error(`the page has no section for ${[...tables.keys()].join(', ')}`);
  return written;
}

const sortText = ({ what }: DeclaredLimit): string => what.replaceAll('`', '');
