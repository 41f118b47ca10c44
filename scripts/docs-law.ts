/** Compares documents with the code. Each function returns one sentence per disagreement. */

/** docs/errors.md has a heading `### CODE` for each error, and the first number in the line below is its status. */
export function compareErrors(markdown: string, errors: Record<string, { status: number }>): string[] {
  const documented = new Map(
    [...markdown.matchAll(/^### +(.+?) *\n+(.*)$/gm)].map(([, code = '', line = '']) => [code, line] as const),
  );
  const wrongStatus = Object.entries(errors).flatMap(([code, { status }]) => {
    const line = documented.get(code);
    const stated = /\b[1-5]\d\d\b/.exec(line ?? '')?.[0];
    return line === undefined || stated === String(status)
      ? []
      : [`docs/errors.md: ${code} answers ${status}, the line below its heading says ${stated ?? 'no status'}`];
  });
  return [...compareNames('docs/errors.md', listHeadings(markdown), Object.keys(errors)), ...wrongStatus];
}

/** docs/events.md has a heading `### NAME` for each event. */
export function compareEvents(markdown: string, names: readonly string[]): string[] {
  return compareNames('docs/events.md', listHeadings(markdown), names);
}

/** .env.example has a line `KEY=value` for each setting, or `# KEY=` for one that is usually left out. */
export function compareSettings(example: string, keys: readonly string[]): string[] {
  const named = [...example.matchAll(/^(?:# ?)?([A-Z][A-Z0-9_]*)=/gm)].map(([, key = '']) => key);
  return compareNames('.env.example', named, keys);
}

/**
 * Finds the names in a document for operators, or in a file for deploying, that are written like settings and are none. `others` are names of
 * other things that are written so.
 */
export function findUnknownSettings(
  document: string,
  text: string,
  { settings, others }: { settings: readonly string[]; others: readonly string[] },
): string[] {
  const known = new Set([...settings, ...others]);
  // NAME=value, NAME: value, ${NAME}, and everywhere else names of more than one word.
  const named = text.matchAll(
    /(?<![\w${])([A-Z][A-Z0-9_]*)(?==)|^ +([A-Z][A-Z0-9_]*)(?=:)|\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/gm,
  );
  const names = new Set([...named].map(([, assigned, key, compound]) => assigned ?? key ?? compound ?? ''));
  return [...names].filter((name) => !known.has(name)).map((name) => `${document}: ${name} is no setting`);
}

/** docs/authentication.md has a table of resources (`## Scopes`) with the rights of each role, as in `crud`, `r` or `–`. */
export function compareScopes(
  markdown: string,
  roles: readonly string[],
  resources: ReadonlyMap<string, readonly string[]>,
): string[] {
  const rows = readTable(markdown, 'Scopes').map(([name = '', _opens, ...rights]) => [name, ...rights].join(' | '));
  const known = [...resources].map(([resource, rights]) => [`\`${resource}\``, ...rights].join(' | '));
  return compareNames('docs/authentication.md', rows, [['Resource', ...roles].join(' | '), ...known]);
}

/** The first page is read in a minute; what does not fit is in the guides. */
export function checkFirstPage(markdown: string): string[] {
  const lines = markdown.split('\n').length;
  const bytes = Buffer.byteLength(markdown);
  return lines > 150 || bytes > 9_000
    ? [`README.md: has ${lines} lines and ${bytes} bytes; at most 150 and 9,000`]
    : [];
}

export function checkChangelog(markdown: string): string[] {
  return /^## +\[?Unreleased\]?\s*$/m.test(markdown) ? [] : ['CHANGELOG.md: has no section "## Unreleased"'];
}

/**
 * docs/guarantees.md lists promises as list items, each with at least one test file as `test: path/to/file.test.ts`; each file under
 * test/guarantees must be named by a promise. A promise may also name proofs of `npm run test:full` as `proof: name`.
 */
export function compareGuarantees(
  markdown: string,
  files: ReadonlySet<string>,
  proofs: ReadonlySet<string> = new Set(),
): string[] {
  // A wrapped list item continues in indented lines.
  const promises = markdown
    .replaceAll(/\n[ \t]+(?=\S)/g, ' ')
    .split('\n')
    .filter((line) => /^[-*] /.test(line));
  const named = new Set(promises.flatMap(readTestFiles));
  const sentences = promises
    .filter((text) => readTestFiles(text).length === 0)
    .map((text) => `docs/guarantees.md: names no test for "${text.slice(0, 80)}"`);
  for (const path of named) if (!files.has(path)) sentences.push(`docs/guarantees.md: ${path} does not exist`);
  for (const path of files)
    if (path.startsWith('test/guarantees/') && !named.has(path))
      sentences.push(`${path}: is promised nowhere in docs/guarantees.md`);
  for (const [, name = ''] of markdown.matchAll(/`proof: ([^`]+)`/g))
    if (name !== 'name' && !proofs.has(name)) sentences.push(`docs/guarantees.md: test:full has no proof "${name}"`);
  if (promises.length === 0) sentences.push('docs/guarantees.md: promises nothing');
  return sentences;
}

const readTestFiles = (promise: string): string[] =>
  [...promise.matchAll(/`test: ([^`]+)`/g)].map(([, path = '']) => path);

/** The cells of the table in a section, row by row, the head first. */
function readTable(markdown: string, heading: string): string[][] {
  const section = markdown.split(/^## +/m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|---'));
  return lines.map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim());
  });
}

function listHeadings(markdown: string): string[] {
  return [...markdown.matchAll(/^### +(.+?) *$/gm)].map(([, name = '']) => name);
}

function compareNames(document: string, documented: readonly string[], known: readonly string[]): string[] {
  const missing = known.filter((name) => !documented.includes(name));
  const unknown = documented.filter((name) => !known.includes(name));
  const twice = documented.filter((name, index) => documented.indexOf(name) !== index);
  return [
    ...missing.map((name) => `${document}: ${name} is missing`),
    ...unknown.map((name) => `${document}: ${name} exists nowhere in the code`),
    ...twice.map((name) => `${document}: ${name} appears twice`),
  ];
}
