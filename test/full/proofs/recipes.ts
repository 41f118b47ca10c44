/**
 * Follows docs/recipes.md for an endpoint, an event and a table on a copy of the project; new-channel.test.ts follows the
 * one for a channel. A fenced block with a file name is the content of that file. With the language `diff` it is a change of the file: the
 * lines with a space or a minus are in the file before, and those with a space or a plus afterwards.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const FOLDERS = ['src', 'sandbox', 'sdk', 'web', 'scripts', 'test', 'bench', 'docs', 'deploy', 'migrations', 'sql'];
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE'];
const FILES = ['package.json', 'tsconfig.json', 'openapi.json', '.env.example', ...PAGES];
const BLOCK = /^( *)```(\w+) (\S+)\n([\s\S]*?)\n\1```$/gm;
/** The tests that the recipes name or that look at what they add. */
const TESTS = [
  'src/features/notes/notes.test.ts',
  ...['catalogue', 'examples', 'openapi', 'queries'].map((name) => `test/contract/${name}.test.ts`),
];
/** A file in the copy that runs these tests in one process, because loading the code takes longer than most of them. */
const PROGRAM = 'test/recipes.test.ts';
const TYPES = ['node_modules/typescript/bin/tsc', '--noEmit', '--checkers', '1'];
const COMMANDS = [
  ['scripts/examples.ts'],
  ['scripts/openapi.ts'],
  ['scripts/sdk.ts'],
  TYPES,
  ['node_modules/typescript/bin/tsc', '-p', 'sdk', '--noEmit'],
  ['scripts/check-docs.ts'],
  ['scripts/check-imports.ts'],
  ['scripts/check-tables.ts'],
  ['--test', '--test-global-setup=test/support/global-setup.ts', PROGRAM],
];

/** Follows the recipes, and checks the types of the result; with `everything` also runs what the recipes and the contract name. */
export async function proveRecipes({ everything }: { everything: boolean }): Promise<{ blocks: number }> {
  const root = copyTree();
  try {
    const recipes = readFileSync('docs/recipes.md', 'utf8').matchAll(BLOCK);
    const blocks = [...recipes].map(([, indent = '', language = '', path = '', text = '']) => ({
      language,
      path,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }));
    assert.ok(blocks.length > 10);
    for (const { language, path, text } of blocks) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, language === 'diff' ? applyDiff(path, readFileSync(file, 'utf8'), text) : `${text}\n`);
    }
    const paths = JSON.stringify(TESTS.map((path) => join(root, path)));
    writeFileSync(
      join(root, PROGRAM),
      `import { runTogether } from './support/together.ts';\nawait runTogether(${paths});\n`,
    );
    for (const args of everything ? COMMANDS : [TYPES]) await runIn(root, args);
    return { blocks: blocks.length };
  } finally {
    rmSync(root, { recursive: true });
  }
}

function copyTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'parley-recipes-'));
  for (const part of [...FOLDERS, ...FILES]) cpSync(part, join(root, part), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  return root;
}

function applyDiff(path: string, before: string, diff: string): string {
  return diff.split('\n@@\n').reduce((text, hunk) => {
    const lines = hunk.split('\n');
    const [from, to] = ['+', '-'].map((sign) =>
      lines
        .filter((line) => !line.startsWith(sign))
        .map((line) => line.slice(1))
        .join('\n'),
    ) as [string, string];
    assert.equal(text.split(`${from}\n`).length, 2, `${path} has one place for this change:\n${hunk}`);
    return text.replace(`${from}\n`, () => `${to}\n`);
  }, before);
}

/** Runs a program in the copy, with a database server of its own, because the copy has other migrations. */
async function runIn(root: string, args: string[]): Promise<void> {
  const { NODE_TEST_CONTEXT: _runner, PARLEY_TEST_SERVER: _server, PARLEY_TEST_COSTS: _costs, ...env } = process.env;
  try {
    await promisify(execFile)(process.execPath, args, {
      cwd: root,
      // Compiled code is found by its path, and each copy has another path, so the cache is inside the copy and is removed with it.
      env: { ...env, NODE_COMPILE_CACHE: join(root, 'compiled'), GOGC: '300' },
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    assert.fail(`node ${args.join(' ')} fails after the recipes:\n${stdout.slice(-8_000)}${stderr.slice(-2_000)}`);
  }
}
