/** Draws the lines of a chart on a canvas, which follows the size of its place and the theme. */
import { useEffect, useRef, type ReactElement } from 'react';
import UPlot from 'uplot';
import type { TimeChartProps } from './time-chart.tsx';

interface PlotProps extends Omit<TimeChartProps, 'title'> {
  /** Gets the place of the period under the pointer; null when the pointer has left. */
  onPoint(this: void, index: number | null): void;
}

const HEIGHT = 200;
const FONT = '11px Inter, system-ui, sans-serif';
const MILLISECONDS = 1_000;

export function Plot({ starts, lines, formatStart, formatValue, isCount, onPoint }: PlotProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = place.current;
    if (!root) return undefined;
    const drawn = { starts, lines, formatStart, formatValue, isCount, onPoint };
    const plot = new UPlot(describePlot(root, drawn), listData(drawn), root);
    const stop = followPage(root, plot);
    return () => {
      stop();
      plot.destroy();
    };
  }, [starts, lines, formatStart, formatValue, isCount, onPoint]);
  return <div ref={place} />;
}

const listData = ({ starts, lines }: PlotProps): UPlot.AlignedData => [
  starts.map((start) => Date.parse(start) / MILLISECONDS),
  ...lines.map(({ values }) => [...values]),
];

function describePlot(root: HTMLElement, props: PlotProps): UPlot.Options {
  const { lines, starts, formatStart, formatValue, isCount, onPoint } = props;
  const read = (name: 'color' | 'borderTopColor' | 'outlineColor' | 'textDecorationColor') => (): string =>
    getComputedStyle(root.parentElement ?? root)[name];
  const axis = { stroke: read('color'), font: FONT, ticks: { show: false } };
  const grid = { stroke: read('borderTopColor'), width: 1 };
  const isPoint = starts.length === 1;
  return {
    width: root.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 30, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high ?? 0, isCount ? 4 : 60) * 1.05] } },
    axes: [
      {
        ...axis,
        size: 24,
        grid: { show: false },
        // Each label is at the start of a period.
        splits: ({ width }) => pickStarts(starts, width),
        values: (_plot, splits) => splits.map((at) => formatStart(new Date(at * MILLISECONDS).toISOString())),
      },
      {
        ...axis,
        grid,
        size: isCount ? 44 : 60,
        values: (_plot, splits) => splits.map((value) => writeMark(value, props, formatValue)),
      },
    ],
    series: [
      {},
      ...lines.map((_line, index) => ({
        stroke: read(index === 0 ? 'outlineColor' : 'textDecorationColor'),
        width: 2,
        // A duration is missing where nothing happened; what is around it would not be seen without points.
        spanGaps: true,
        points: { show: isPoint || !isCount, size: 5 },
        ...(index > 0 && { dash: [4, 4] }),
      })),
    ],
  };
}

const writeMark = (value: number, { isCount }: PlotProps, format: (value: number) => string): string =>
  isCount && !Number.isInteger(value) ? '' : format(value);

// A label with a day and a month has some fifty pixels.
const LABEL_PX = 76;

function pickStarts(starts: readonly string[], width: number): number[] {
  const step = Math.max(1, Math.ceil((starts.length * LABEL_PX) / Math.max(width / devicePixelRatio, LABEL_PX)));
  // They are counted from the last period, which always has one.
  return starts
    .filter((_start, index) => (starts.length - 1 - index) % step === 0)
    .map((start) => Date.parse(start) / MILLISECONDS);
}

/** Draws again when the place has another size or the page another theme. Returns a function that ends this. */
function followPage(root: HTMLElement, plot: UPlot): () => void {
  const sizes = new ResizeObserver(() => plot.setSize({ width: root.clientWidth, height: HEIGHT }));
  sizes.observe(root);
  const redraw = (): void => plot.redraw();
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  return () => {
    sizes.disconnect();
    themes.disconnect();
    scheme.removeEventListener('change', redraw);
  };
}
