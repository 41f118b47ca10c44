/** Chooses the test files that a change concerns: those of the changed rooms, and those of the rooms that depend on them. */
import { execFileSync } from 'node:child_process';
import { matchesGlob, posix } from 'node:path';
import { readFacts, readSources, type SourceFacts, type SourceFile } from './source-facts.ts';
import { readMigrations, readTableOwners } from './tables.ts';

export interface ChosenTest {
  test: string;
  /** Why the test was chosen, as a sentence about a changed file. */
  why: string;
}

/**
 * Files that import all features. The files that import one of these do not count as affected, because otherwise every change would affect
 * everything.
 */
const ASSEMBLIES =
  /^src\/(?:api|worker|main|file-reader|mail-caller|boot\/[\w-]+)\.ts$|^src\/channels\/registry\.ts$|^test\/support\/(?:platform|process)\.ts$/;
/** The features that communicate with networks. Their tests run when a channel or the sandbox has changed. */
const NETWORK_ROOMS = ['src/features/inboxes/', 'src/features/inbound/', 'src/features/messages/'];
/** Folders whose tests are run together when one of their files is concerned. */
const FOLDERS = /^(?:src\/features\/[^/]+|src\/channels\/[^/]+|src\/boot|sandbox|scripts)\//;

/** The contract tests that check declarations of all features, beside the pattern of the files with these declarations. */
const CONTRACTS: readonly [declared: RegExp, tests: readonly string[]][] = [
  [
    /\/(?:routes|schemas)\.ts$|^src\/api\.ts$|^openapi\.json$|^docs\/reference\/|^test\/full\/matrix\//,
    ['examples', 'openapi'],
  ],
  [/queries\.ts$/, ['queries']],
  [/^src\/channels\//, ['channels']],
  [/^(?:migrations|sql)\//, ['catalogue', 'queries']],
];

/** Lists the files that differ from the commit where this branch left `since`, including uncommitted files. */
export function listChangedFiles(since: string): { base: string; files: string[] } {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  const base = findBase(git, since);
  const listed = [git('diff', '--name-only', '--no-renames', base), git('ls-files', '--others', '--exclude-standard')];
  return { base: base.slice(0, 8), files: listed.flatMap((text) => text.split('\n').filter(Boolean)).toSorted() };
}

function findBase(git: (...args: string[]) => string, since: string): string {
  try {
    return git('merge-base', 'HEAD', since);
  } catch (cause) {
    throw new Error(`git knows no common commit with ${since} here: name another one with --since`, { cause });
  }
}

/** Chooses the contract tests that check what these files declare. */
export function chooseContracts(changed: readonly string[]): ChosenTest[] {
  return CONTRACTS.flatMap(([declared, tests]) => {
    const file = changed.find((path) => declared.test(path));
    return file ? tests.map((name) => ({ test: `test/contract/${name}.test.ts`, why: `${file} changed` })) : [];
  });
}

/** Chooses the test files that the changed files affect. `files` are the sources of the whole repository. */
export function chooseTests(files: readonly SourceFile[], changed: readonly string[]): ChosenTest[] {
  const tests = files.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'));
  const chosen = new Map<string, string>();
  const choose = (test: string, reason: string) => chosen.has(test) || chosen.set(test, reason);
  for (const [file, reason] of findAffectedFiles(files, changed))
    for (const test of listTests(tests, file)) choose(test, reason);
  for (const { test, why } of chooseContracts(changed)) choose(test, why);
  return [...chosen].map(([test, why]) => ({ test, why }));
}

/** Returns the changed files and all files that use them, directly or through others, each with the reason. */
export function findAffectedFiles(files: readonly SourceFile[], changed: readonly string[]): Map<string, string> {
  const users = findDependents(files, changed);
  const why = new Map<string, string>(changed.map((file) => [file, `${file} changed`]));
  for (const file of changed.filter((path) => /^(?:migrations|sql)\//.test(path)))
    for (const room of listMigratedRooms(files, file)) why.set(room, `${file} changed`);
  // The loop also visits the entries that it adds, so that it finds indirect users as well.
  for (const [file, reason] of why) {
    // A file may name a test file in a string without depending on it, so the users of a test file are not followed.
    if (file.endsWith('.test.ts') || (ASSEMBLIES.test(file) && !changed.includes(file))) continue;
    for (const user of users.get(file) ?? [])
      if (!why.has(user)) why.set(user, `${user} uses ${describeReason(file, reason)}`);
  }
  return why;
}

const describeReason = (file: string, reason: string): string =>
  reason === `${file} changed` ? `${file}, which changed` : `${file}; ${reason}`;

/** Lists the tests for one affected file: the file itself, the tests of its folder, and for a file of the platform those with its name. */
function listTests(tests: readonly string[], file: string): string[] {
  if (file.endsWith('.test.ts')) return tests.includes(file) ? [file] : [];
  const [folder] = FOLDERS.exec(file) ?? [];
  const networks = /^src\/channels\/|^sandbox\//.test(file) ? NETWORK_ROOMS : [];
  const folders = [...networks, ...(folder ? [folder] : []), ...(file.startsWith('web/') ? ['test/pages/'] : [])];
  const stem = /^(src\/platform\/\w+\/[\w-]+)/.exec(file)?.[1];
  return tests.filter(
    (test) =>
      folders.some((prefix) => test.startsWith(prefix)) ||
      (stem && (test === `${stem}.test.ts` || test.startsWith(`${stem}/`))),
  );
}

/** Lists the folders of the features whose tables the file with SQL names. */
function listMigratedRooms(files: readonly SourceFile[], path: string): string[] {
  const text = files.find((file) => file.path === path)?.text ?? '';
  const named = new Set(text.match(/\b[a-z_]+\b/g));
  return [...readTableOwners(readMigrations())].flatMap(([table, room]) =>
    named.has(table) ? [`src/features/${room}/`] : [],
  );
}

/** Maps each file to the files that import it or name it in a string. */
function findDependents(files: readonly SourceFile[], changed: readonly string[]): Map<string, string[]> {
  const known = [...new Set([...files.map(({ path }) => path), ...changed])];
  const users = new Map<string, string[]>();
  for (const file of files.filter(({ path }) => path.endsWith('.ts'))) {
    for (const used of new Set(listReferencedFiles(readFacts(file), known)))
      users.set(used, [...(users.get(used) ?? []), file.path]);
  }
  return users;
}

/**
 * Lists the files that this file imports (unless it imports only types) and those that its strings name, such as a program to start or a
 * document to read.
 */
function listReferencedFiles({ path, imports, strings }: SourceFacts, known: readonly string[]): string[] {
  const folder = posix.dirname(path);
  const imported = imports.flatMap(({ specifier, typeOnly }) =>
    specifier?.startsWith('.') && !typeOnly ? [posix.join(folder, specifier)] : [],
  );
  const addresses = new Set(imports.map(({ specifier }) => specifier));
  const named = strings.flatMap(({ text }) => {
    if (addresses.has(text)) return [];
    // The value that is inserted into a template string may be any part of a file name.
    const pattern = text.replaceAll('${}', '*');
    if (!/^[\w.-][\w./*{},-]*\.(?:\w+|\{[\w,]+\})$/.test(pattern)) return [];
    const places = [posix.join(folder, pattern), posix.normalize(pattern)];
    if (!/[*{]/.test(pattern)) return known.filter((other) => places.includes(other));
    return /^(?:\.\.\/)*\w+\//.test(pattern)
      ? known.filter((other) => places.some((place) => matchesGlob(other, place)))
      : [];
  });
  return [...imported, ...named];
}

/** Reads the sources, the migrations and the functions of the database. */
export function readRepository(): SourceFile[] {
  const migrations = readSources('.', ['migrations', 'sql'], 'sql');
  return [...readSources('.', ['src', 'sandbox', 'sdk', 'scripts', 'test', 'bench', 'web']), ...migrations];
}
