/** What happened in each period: lines over time, or the same as a table. */
import { Tabs } from '@base-ui/react/tabs';
import { Suspense, useState, type ReactElement } from 'react';
import { getLanguage } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { lazyPart, LoadingPart } from '../lazy-part.tsx';
import { COMMON } from '../texts.ts';
import styles from './chart.module.css';

/** The library that draws is loaded with the first chart. */
const Plot = lazyPart(async () => {
  mendLanguage();
  return (await import('./plot.tsx')).Plot;
});

/** The library reads the language of the browser when it is loaded. On some systems that is no language tag: en-US@posix. */
function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    // Failure policy: the library gets the language of the console instead, in which all its texts are written anyway.
    Object.defineProperty(navigator, 'language', { value: getLanguage(), configurable: true });
  }
}

export interface Line {
  label: string;
  /** A value for each period; null for none. */
  values: readonly (number | null)[];
}

export interface TimeChartProps {
  title: string;
  /** When each period begins. */
  starts: readonly string[];
  /** At most two; the second one is dashed. */
  lines: readonly Line[];
  formatStart(this: void, at: string): string;
  formatValue(this: void, value: number): string;
  /** Whether values lie on whole numbers only. */
  isCount: boolean;
}

export function TimeChart(props: TimeChartProps): ReactElement {
  const { title } = props;
  const texts = useTexts(COMMON);
  const [shown, show] = useState<'chart' | 'table'>('chart');
  return (
    <section className={styles['box']} aria-label={title}>
      <Tabs.Root value={shown} onValueChange={(kind: 'chart' | 'table') => show(kind)}>
        <header className={styles['head']}>
          <h2>{title}</h2>
          <Tabs.List className={styles['tabs']} aria-label={title} activateOnFocus>
            <Tabs.Tab value="chart" className={styles['tab']}>
              {texts.chart}
            </Tabs.Tab>
            <Tabs.Tab value="table" className={styles['tab']}>
              {texts.table}
            </Tabs.Tab>
          </Tabs.List>
        </header>
        <Tabs.Panel value={shown} tabIndex={shown === 'table' ? 0 : -1} className={styles['panel']} data-kind={shown}>
          {shown === 'chart' ? <Chart {...props} /> : <Table {...props} />}
        </Tabs.Panel>
      </Tabs.Root>
    </section>
  );
}

const write = (value: number | null | undefined, { formatValue }: TimeChartProps): string =>
  value === null || value === undefined ? '–' : formatValue(value);

function Chart(props: TimeChartProps): ReactElement {
  const { title, starts, lines, formatStart } = props;
  const [pointed, point] = useState<number | null>(null);
  const at = pointed === null ? undefined : starts[pointed];
  return (
    <figure>
      <div className={styles['plot']} role="img" aria-label={describe(props)}>
        <Suspense fallback={<LoadingPart />}>
          <Plot key={title} {...props} onPoint={point} />
        </Suspense>
      </div>
      <figcaption className={styles['legend']} aria-hidden="true">
        {at !== undefined && <b>{formatStart(at)}</b>}
        {lines.map(({ label, values }, index) => (
          <span key={label}>
            <i data-dashed={index > 0} />
            {at === undefined ? label : `${label} ${write(values[pointed ?? 0], props)}`}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** Says what the picture shows: the time, and the lowest and the highest value of each line. */
function describe(props: TimeChartProps): string {
  const { title, starts, lines, formatStart, formatValue } = props;
  const [first, last] = [starts[0], starts.at(-1)];
  const time = first === undefined || last === undefined ? '' : `, ${formatStart(first)} – ${formatStart(last)}`;
  const ranges = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${label}: –`;
    return `${label}: ${formatValue(Math.min(...known))} – ${formatValue(Math.max(...known))}`;
  });
  // The name of a month may end with a point, as “dez.” does.
  return [`${title}${time}`, ...ranges].map((part) => part.replace(/\.$/, '')).join('. ');
}

function Table(props: TimeChartProps): ReactElement {
  const { title, starts, lines, formatStart } = props;
  const texts = useTexts(COMMON);
  return (
    <table className={styles['table']} aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{texts.time}</th>
          {lines.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {starts.map((start, index) => (
          <tr key={start}>
            <th scope="row">{formatStart(start)}</th>
            {lines.map(({ label, values }) => (
              <td key={label}>{write(values[index], props)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
