import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import perfHooks from 'node:perf_hooks';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import { createMetrics } from './telemetry.ts';

const makeProgram = (expression: string, format = 'json'): string[] => [
  '--input-type=module',
  '-e',
  `import { createLog } from ${JSON.stringify(import.meta.resolve('./telemetry.ts'))}; const log = createLog('info', '${format}'); log.${expression};`,
];

/** Returns the output of a process that runs this expression on a log. */
const logged = (expression: string, format?: string): string =>
  execFileSync(process.execPath, makeProgram(expression, format), { encoding: 'utf8' });

test('a log line is one line of JSON with its time, and secrets in a logged object are redacted', () => {
  const names = ['authorization', 'token', 'password', 'business_token', 'api_key', 'custom_headers', 'url'];
  const secrets = JSON.stringify(Object.fromEntries(names.map((name) => [name, `hidden-${name}`])));
  const text = logged(
    `info({ ...${secrets}, a: ${secrets}, b: { c: ${secrets} }, kept: 'shown' }, 'line one\\nline two')`,
  );
  assert.equal(text.trim().split('\n').length, 1);
  const line = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual([line['kept'], line['msg'], line['level']], ['shown', 'line one\nline two', 30]);
  assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(!text.includes('hidden-'), text);
  assert.ok(!('pid' in line) && !('hostname' in line));
});

test('an error is logged with its type and its stack', () => {
  const line = JSON.parse(logged(`error({ err: new TypeError('broken') }, 'failed')`)) as {
    err: Record<string, string>;
  };
  assert.deepEqual([line.err['type'], line.err['message']], ['TypeError', 'broken']);
  assert.match(line.err['stack'] ?? '', /at /);
});

test('two platforms in one process have separate metrics', async () => {
  const [one, two] = [createMetrics(), createMetrics()];
  one.deliveries.inc({ status: 'DELIVERED' });
  assert.match(await one.registry.metrics(), /parley_deliveries_total\{status="DELIVERED"\} 1/);
  assert.doesNotMatch(await two.registry.metrics(), /status="DELIVERED"/);
});

test('a database error is logged with its code and names, but without the row that it quotes', () => {
  const error = `Object.assign(new Error('invalid input syntax for type json: "Maria"'), {
    severity: 'ERROR', code: '22P02', detail: 'Failing row contains (Maria, +5511)', table: 'contacts', where: 'Maria' })`;
  const text = logged(`error({ err: ${error.replaceAll('\n', '')} }, 'failed')`);
  const { err } = JSON.parse(text) as { err: Record<string, string> };
  assert.deepEqual([err['code'], err['table']], ['22P02', 'contacts']);
  assert.ok(!text.includes('Maria') && !text.includes('5511'), text);
});

test('in the text format a request is one short line, and an error has its message and stack', () => {
  const request = logged(
    `info({ request_id: 'r-1', method: 'GET', route: '/v1/contacts', status: 404, ms: 12 }, 'request')`,
    'text',
  );
  assert.match(request, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}404 GET {4}\/v1\/contacts 12 ms r-1\n$/);
  const error = logged(`error({ err: new TypeError('broken'), api_key: 'hidden', route: '/x' }, 'failed')`, 'text');
  assert.match(error, /ERROR failed api_key=\[redacted\] route=\/x\n {2}TypeError: broken/);
  assert.match(error, /\n\s+at /);
});

test('when the disk of the log is full, lines are lost, but the process is neither blocked nor ended', (t) => {
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full');
  const full = openSync('/dev/full', 'w');
  const work = `info('first'); for (let n = 0; n < 5_000; n += 1) log.info({ n, text: 'x'.repeat(1_000) }, 'line');
    setTimeout(() => process.stderr.write('still here'), 300); void 0`;
  const ended = spawnSync(process.execPath, makeProgram(work), {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  assert.deepEqual([ended.status, ended.stderr], [0, 'still here']);
});

test('the lag of the event loop is reported without the interval at which it is measured', async (t) => {
  const measured = { min: 99e6, max: 350e6, mean: 110e6, stddev: 0, percentile: (part: number) => (100 + part) * 1e6 };
  const ignore = (): void => undefined;
  t.mock.method(perfHooks, 'monitorEventLoopDelay', ({ resolution }: { resolution: number }) => {
    assert.equal(resolution, 100);
    return { ...measured, enable: ignore, reset: ignore };
  });
  const text = await createMetrics().registry.metrics();
  const lags = ['min', 'max', 'mean', 'p50', 'p90', 'p99'].map((name) => {
    const [, figure] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text) ?? [];
    return Math.round(Number(figure) * 1_000);
  });
  assert.deepEqual(lags, [0, 250, 10, 50, 90, 99]);
});

test('a process that flushes its log before it ends loses no line, although the reader of the log is slow', async (t) => {
  // Node makes a pipe non-blocking when its stream is opened, so that a full pipe refuses further lines.
  const work = `info('first'); process.stdout; for (let n = 0; n < 2_000; n += 1) log.info({ n, text: 'x'.repeat(500) }, 'line');
    process.stderr.write('full'); log.flush(() => process.exit(0)); void 0`;
  const child = spawn(process.execPath, makeProgram(work), { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stderr, 'data');
  const lines = (await readText(child.stdout)).trim().split('\n');
  const numbers = lines.map((line) => (JSON.parse(line) as { n?: number }).n).filter((n) => n !== undefined);
  assert.deepEqual(
    numbers,
    Array.from({ length: 2_000 }, (_, n) => n),
  );
});
