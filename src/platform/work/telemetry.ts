/** Logs and metrics. They never contain message texts, names, phone numbers, addresses or secrets. Routes are logged by their pattern. */
import { isatty } from 'node:tty';
import { pino, type Logger } from 'pino';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import { formatReadableLine } from './log-format.ts';
import { createLogWriter } from './log-writer.ts';

export type Log = Logger;

// Property names that are redacted in case an object is logged by mistake; the code itself logs ids, codes and counts only.
const REDACTED = ['authorization', 'token', 'password', 'business_token', 'api_key', 'custom_headers', 'url'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);

/**
 * The parts of an error that may appear in a log or in a job's record. PostgreSQL quotes rows in `detail` and values in some messages, so
 * only codes and names are kept, and the message unless its error class concerns data.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error };
  const { code, constraint, table, severity } = error as Error &
    Record<'code' | 'constraint' | 'table' | 'severity', unknown>;
  const quotesData = severity !== undefined && /^2[23]/.test(String(code));
  const stack = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
  return {
    type: error.name,
    message: quotesData ? 'refused by the database' : error.message,
    code,
    constraint,
    table,
    stack,
  };
}

export type LogFormat = 'auto' | 'json' | 'text';

/** Creates the log. `text` is for people, `json` for programs; `auto` writes text to a terminal and JSON otherwise. */
export function createLog(level: string, format: LogFormat = 'json'): Log {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    serializers: { err: describeError },
    redact: { paths: REDACTED, censor: '[redacted]' },
  };
  if (level === 'silent') return pino(options, { write: () => undefined });
  const isText = format === 'text' || (format === 'auto' && isatty(STANDARD_OUTPUT));
  const shown = isText ? formatReadableLine : (line: string): string => line;
  const writer = createLogWriter(STANDARD_OUTPUT, (lines) => shown(makeDroppedLine(lines)));
  return pino(options, { ...writer, write: (line: string) => writer.write(shown(line)) } as never);
}

/** Formats the time of a log line. The text is cached for a millisecond, in which a busy process writes several lines. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let member = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      member = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return member;
  };
}

const STANDARD_OUTPUT = 1;
const LOOP_LOOK_MS = 100;

const makeDroppedLine = (lines: number): string =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), lines, msg: 'log lines could not be written' })}\n`;

/** A log without redaction, for lines whose fields the platform chooses itself: redaction would cost more than writing the line. */
export const withoutRedaction = (log: Log): Log => log.child({}, { redact: [] });

function createStorageMetrics(registers: Registry[]) {
  return {
    storageFreeBytes: new Gauge({
      name: 'parley_storage_free_bytes',
      help: 'Space left on the file systems of the embedded database',
      labelNames: ['folder'],
      registers,
    }),
    storageReserveBytes: new Gauge({
      name: 'parley_storage_reserve_bytes',
      help: 'With less space than this, writes are refused (STORAGE_RESERVE); 0 with DATABASE_URL',
      registers,
    }),
    storageRefusing: new Gauge({
      name: 'parley_storage_refusing_writes',
      help: '1 while writes are refused with STORAGE_FULL',
      registers,
    }),
  };
}

function createDatabaseMetrics(registers: Registry[]) {
  return {
    asynchronousStandbys: new Gauge({
      name: 'parley_database_asynchronous_standbys',
      help: 'Standbys of the database to which a failover can lose changes, because synchronous_standby_names is empty',
      registers,
    }),
    unansweredConnections: new Gauge({
      name: 'parley_database_unanswered_connections',
      help: 'Connections of this process that the database has not answered in time, because a COMMIT waits for a standby or the network fails',
      registers,
    }),
  };
}

/** The figures of the event loop that Node measures at intervals. */
const LAG_NAMES = ['min', 'max', 'mean', 'p50', 'p90', 'p99'];

/** Node counts the interval of its measurements as part of each lag, so an idle process would seem to be late by that interval. */
function subtractInterval(lag: Metric | undefined): void {
  if (!lag) throw new Error('the library has renamed a figure of the event loop');
  const read = lag.get.bind(lag) as () => Promise<MetricObjectWithValues<MetricValue<string>>>;
  lag.get = async () => {
    const { values, ...rest } = await read();
    return {
      ...rest,
      values: values.map((each) => ({ ...each, value: Math.max(0, each.value - LOOP_LOOK_MS / 1_000) })),
    };
  };
}

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  // Each measurement of the event loop wakes the process. The library's default of a hundred a second would be most of an idle process's
  // work.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  for (const name of LAG_NAMES) subtractInterval(registry.getSingleMetric(`nodejs_eventloop_lag_${name}_seconds`));
  return {
    registry,
    httpSeconds: new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Time to answer, by route pattern and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    bodyBytes: new Gauge({
      name: 'parley_bodies_held_bytes',
      help: 'Bytes of request bodies that are held and have not arrived in full',
      registers,
    }),
    inbound: new Counter({
      name: 'parley_inbound_elements_total',
      help: 'Elements of network callbacks by outcome: stored, repeated, applied, parked, dropped, aside, ignored, refused',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    sends: new Counter({
      name: 'parley_sends_total',
      help: 'Calls to the networks by outcome: accepted, rejected, unknown, blocked',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    deliveries: new Counter({
      name: 'parley_deliveries_total',
      help: 'Webhook deliveries by their final status',
      labelNames: ['status'],
      registers,
    }),
    ...createStorageMetrics(registers),
    ...createDatabaseMetrics(registers),
    deliverySlots: new Gauge({ name: 'parley_delivery_slots_busy', help: 'Deliveries in flight', registers }),
    queueAgeSeconds: new Gauge({
      name: 'parley_delivery_queue_age_seconds',
      help: 'Age of the delivery that was claimed last, when it was claimed',
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
