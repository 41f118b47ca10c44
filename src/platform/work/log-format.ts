/** Formats log lines for people: time of day, level, message and fields; requests as one short line. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const LEVELS: [least: number, name: string, style: Style][] = [
  [60, 'FATAL', 'red'],
  [50, 'ERROR', 'red'],
  [40, 'WARN ', 'yellow'],
  [30, 'INFO ', 'green'],
  [0, 'DEBUG', 'gray'],
];

interface LogLine {
  level: number;
  time: string;
  msg?: string;
  err?: { type?: string; message?: string; code?: string; stack?: string };
  [field: string]: unknown;
}

/** Formats a JSON log line. Times are in UTC. */
export function formatReadableLine(json: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(json) as LogLine;
  const [, name, style] = LEVELS.find(([least]) => level >= least) ?? [0, 'DEBUG', 'gray' as Style];
  const head = `${styleText('gray', time.slice(11, 23))} ${styleText(style, name)}`;
  if (msg === 'request') return `${head} ${formatRequest(fields)}\n`;
  const formatted = Object.entries(fields).map(([key, value]) => styleText('gray', `${key}=`) + formatValue(value));
  const cause = err ? `\n  ${err.type}: ${err.message ?? ''} ${err.code ?? ''}\n${err.stack ?? ''}` : '';
  return `${[head, msg, ...formatted].join(' ')}${cause}\n`;
}

function formatRequest({ method, route, status, ms, request_id }: Record<string, unknown>): string {
  const answered = Number(status);
  const style: Style = answered >= 500 ? 'red' : answered >= 400 ? 'yellow' : 'green';
  const id = styleText('gray', String(request_id));
  return `${styleText(style, String(status))} ${String(method).padEnd(6)} ${String(route)} ${String(ms)} ms ${id}`;
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
