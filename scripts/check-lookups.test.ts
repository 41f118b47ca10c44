import assert from 'node:assert/strict';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findLookUps } from './check-lookups.ts';

const KNOWN = `declare const names: Record<string, number>;
declare const record: { a: number; b: number };
declare const key: string;
declare const list: number[];
`;

/** Runs the check on a file and returns which of these lines it reports. */
async function judge(context: TestContext, path: string, lines: string[]): Promise<{ files: number; lines: number[] }> {
  const root = await mkdtemp(join(tmpdir(), 'look-ups-'));
  context.after(() => rm(root, { recursive: true }));
  const config = { compilerOptions: { lib: ['esnext'], types: [], strict: true, noEmit: true }, include: ['.'] };
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(config));
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), `${KNOWN}${lines.join('\n')}\nexport {};\n`);
  const { files, violations } = findLookUps(root, ['tsconfig.json']);
  return { files, lines: violations.map(({ line }) => line - KNOWN.split('\n').length) };
}

test('a look-up in an object by an arbitrary text is reported, however it is written', async (context) => {
  const bad = [
    'export const read = names[key];',
    'export const made = names[`${key}.x`];',
    'export const claimed = record[key as keyof typeof record];',
    'export const asked = key in names;',
    'export const { [key]: taken } = names;',
    'names[key] = 1;',
    'export const optional = (names as typeof names | undefined)?.[key];',
  ];
  const judged = await judge(context, 'src/a.ts', bad);
  assert.deepEqual(judged, { files: 1, lines: bad.map((_, index) => index) });
});

test('a look-up by a literal key, an index, a Map and a deletion are not reported', async (context) => {
  const good = [
    "export const named = names['a'];",
    "export const chosen = record[Math.random() > 0.5 ? 'a' : 'b'];",
    'export const item = list[0];',
    'export const items = list.map((_, index) => list[index]);',
    'export const mapped = new Map([["a", 1]]).get(key);',
    'export const fresh = { [key]: 1 };',
    'delete names[key];',
    "export const has = 'a' in record;",
  ];
  assert.deepEqual(await judge(context, 'src/a.ts', good), { files: 1, lines: [] });
});

test('tests and other folders are not checked, and a check that finds no file to check fails', async (context) => {
  for (const path of ['src/a.test.ts', 'scripts/a.ts']) {
    assert.deepEqual(await judge(context, path, ['export const read = names[key];']), { files: 0, lines: [] });
  }
});
