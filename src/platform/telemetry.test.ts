import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { createMetrics } from './telemetry.ts';

/** What a process prints that logs this. */
function logged(expression: string): string {
  const code = `import { createLog } from ${JSON.stringify(import.meta.resolve('./telemetry.ts'))}; const log = createLog('info'); log.${expression};`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
}

test('a log line is one line of JSON with its time, and hides what is secret in a stray object', () => {
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

test('an error is logged with its kind and its stack', () => {
  const line = JSON.parse(logged(`error({ err: new TypeError('broken') }, 'failed')`)) as {
    err: Record<string, string>;
  };
  assert.deepEqual([line.err['type'], line.err['message']], ['TypeError', 'broken']);
  assert.match(line.err['stack'] ?? '', /at /);
});

test('two platforms in one process count for themselves', async () => {
  const [one, two] = [createMetrics(), createMetrics()];
  one.deliveries.inc({ status: 'DELIVERED' });
  assert.match(await one.registry.metrics(), /parley_deliveries_total\{status="DELIVERED"\} 1/);
  assert.doesNotMatch(await two.registry.metrics(), /status="DELIVERED"/);
});

test('an error of the database is logged by its code and names, never with the row that it quotes', () => {
  const error = `Object.assign(new Error('invalid input syntax for type json: "Maria"'), {
    severity: 'ERROR', code: '22P02', detail: 'Failing row contains (Maria, +5511)', table: 'contacts', where: 'Maria' })`;
  const text = logged(`error({ err: ${error.replaceAll('\n', '')} }, 'failed')`);
  const { err } = JSON.parse(text) as { err: Record<string, string> };
  assert.deepEqual([err['code'], err['table']], ['22P02', 'contacts']);
  assert.ok(!text.includes('Maria') && !text.includes('5511'), text);
});
