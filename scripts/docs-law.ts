/** Compares documents with the code. Each function returns one sentence per disagreement. */

const MOST_PAGE_BYTES = 20 * 1024;

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

/** docs/scopes.md has a table of resources (`## Roles`) with the rights of each role, as in `crud`, `r` or `–`. */
export function compareScopes(
  markdown: string,
  roles: readonly string[],
  resources: ReadonlyMap<string, readonly string[]>,
): string[] {
  const rows = readTable(markdown, 'Roles').map(([name = '', _opens, ...rights]) => [name, ...rights].join(' | '));
  const known = [...resources].map(([resource, rights]) => [`\`${resource}\``, ...rights].join(' | '));
  return compareNames('docs/scopes.md', rows, [['Resource', ...roles].join(' | '), ...known]);
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
 * Each page of docs/guarantees has promises as headings `### Title`, each with the test files that prove it (`path/to/file.test.ts`) and
 * perhaps proofs of `npm run test:full` (`Proof: `name``). Each file under test/guarantees must be named by a promise.
 */
export function compareGuarantees(
  pages: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
  proofs: ReadonlySet<string> = new Set(),
): string[] {
  const promises = [...pages].flatMap(([page, markdown]) =>
    readSections(markdown, '### ').map((text) => ({ page, text, tests: readTestFiles(text) })),
  );
  const named = new Set(promises.flatMap(({ tests }) => tests));
  return [
    ...[...pages.keys()]
      .filter((path) => !promises.some(({ page }) => page === path))
      .map((path) => `${path}: promises nothing`),
    ...promises.flatMap(({ page, text, tests }) => [
      ...(tests.length === 0 ? [`${page}: names no test for "${text.split('\n', 1)[0]}"`] : []),
      ...tests.filter((path) => !files.has(path)).map((path) => `${page}: ${path} does not exist`),
      ...readProofs(text)
        .filter((name) => !proofs.has(name))
        .map((name) => `${page}: test:full has no proof "${name}"`),
    ]),
    ...[...files]
      .filter((path) => path.startsWith('test/guarantees/') && !named.has(path))
      .map((path) => `${path}: is promised nowhere in docs/guarantees`),
  ];
}

/** Each promise of docs/guarantees.md, which is a list item, links to its place in docs/guarantees and to a test. */
export function checkPromises(markdown: string): string[] {
  const promises = markdown.split('\n').filter((line) => line.startsWith('- **'));
  const bare = promises.filter(
    (line) => !/\]\(guarantees\/.+\.md#/.test(line) || !/\]\(\.\.\/.+\.test\.ts\)/.test(line),
  );
  return bare.map((line) => `docs/guarantees.md: has no link to the details or to a test in "${line.slice(0, 80)}"`);
}

/** `anchors` has the ids of the headings of each guide, by its path below docs/ without `.md`. */
export function findBrokenLinks(
  document: string,
  markdown: string,
  exists: (path: string) => boolean,
  anchors: ReadonlyMap<string, ReadonlyMap<string, string>>,
): string[] {
  const targets = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^(?:[a-z]+:|\/)/.test(target))
    .filter((target) => {
      const { pathname, hash } = new URL(target, `http://root/${document}`);
      const ids = anchors.get(pathname.replace('/docs/', '').replace(/\.md$/, ''));
      return !exists(pathname.slice(1)) || (hash !== '' && ids !== undefined && !ids.has(hash.slice(1)));
    })
    .map((target) => `${document}: links to ${target}, which does not exist`);
}

/** A page that is not generated is read in one sitting. */
export function checkPageSize(document: string, markdown: string): string[] {
  const bytes = Buffer.byteLength(markdown);
  return bytes > MOST_PAGE_BYTES && !markdown.includes('<!-- Written by npm run')
    ? [`${document}: has ${bytes} bytes; at most ${MOST_PAGE_BYTES}`]
    : [];
}

const readTestFiles = (promise: string): string[] =>
  [...promise.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = '']) => path);

const readProofs = (promise: string): string[] => {
  const [, names = ''] = /\bProofs?: (.+)$/m.exec(promise) ?? [];
  return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
};

/** The sections whose headings begin with `mark`, each without it. */
const readSections = (markdown: string, mark: string): string[] =>
  markdown
    .split(/^(?=#{1,6} )/m)
    .filter((text) => text.startsWith(mark))
    .map((text) => text.slice(mark.length));

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
