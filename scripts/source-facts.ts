/** Reads from a source file what the checks need: its imports, names and strings. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** `path` is relative to the root, with forward slashes. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface ImportFact {
  line: number;
  /** The specifier as written; null for an import() whose address is computed. */
  specifier: string | null;
  /**
   * The imported names; '*' stands for the whole module (default, namespace, export *, import()). Empty when it is imported only for its
   * effects.
   */
  names: string[];
  typeOnly: boolean;
}

export interface TextFact {
  line: number;
  text: string;
}

export interface SourceFacts {
  path: string;
  imports: ImportFact[];
  /** Identifiers used as values or types; not property names, so `job.process` does not count as `process`. */
  identifiers: TextFact[];
  /** The last two names of a member expression: `database.system` of `deps.database.system`. */
  members: TextFact[];
  /** String literals and templates; `${}` stands for an inserted value. */
  strings: TextFact[];
  /** True when every statement re-exports something of another file. */
  onlyReexports: boolean;
}

/** A violation that a check reports; `line` counts from 1. */
export interface Violation {
  path: string;
  line: number;
  sentence: string;
}

/** All files of the folders with this ending, sorted. A folder that does not exist has none. */
export function readSources(root: string, folders: readonly string[], ending = 'ts'): SourceFile[] {
  return globSync(
    folders.map((folder) => `${folder}/**/*.${ending}`),
    { cwd: root },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Prints the violations and sets the exit code. Finding no file is a failure, because such a check would pass for ever. */
export function reportViolations(name: string, fileCount: number, violations: Violation[]): void {
  for (const { path, line, sentence } of violations) console.error(`${path}:${line}: ${sentence}`);
  console.log(`${name}: ${fileCount} files checked`);
  if (fileCount === 0) console.error(`${name}: saw no file; is the folder right?`);
  if (fileCount === 0 || violations.length > 0) process.exitCode = 1;
}

/** Throws when the file is not valid TypeScript. */
export function readFacts(file: SourceFile): SourceFacts {
  const { program, module, errors } = parseSync(file.path, file.text);
  if (errors[0]) throw new Error(`${file.path}: ${errors[0].message}`);
  const lineAt = makeLineLookUp(file.text);
  const facts: SourceFacts = {
    path: file.path,
    imports: readStaticImports(module, lineAt),
    identifiers: [],
    members: [],
    strings: [],
    onlyReexports:
      program.body.length > 0 &&
      program.body.every(
        (statement) =>
          statement.type === 'ExportAllDeclaration' ||
          (statement.type === 'ExportNamedDeclaration' && statement.source !== null),
      ),
  };
  makeVisitor(facts, lineAt).visit(program);
  return facts;
}

type LineLookUp = (offset: number) => number;
type ParsedModule = ReturnType<typeof parseSync>['module'];

function readStaticImports(module: ParsedModule, lineAt: LineLookUp): ImportFact[] {
  const imports = module.staticImports.map((statement) => ({
    line: lineAt(statement.start),
    specifier: statement.moduleRequest.value,
    names: statement.entries.map((entry) => entry.importName.name ?? '*'),
    typeOnly: statement.entries.length > 0 && statement.entries.every((entry) => entry.isType),
  }));
  const reexports = module.staticExports.flatMap((statement) =>
    statement.entries.flatMap((entry) =>
      entry.moduleRequest
        ? [
            {
              line: lineAt(statement.start),
              specifier: entry.moduleRequest.value,
              names: [entry.importName.name ?? '*'],
              typeOnly: entry.isType,
            },
          ]
        : [],
    ),
  );
  return [...imports, ...reexports];
}

function makeVisitor(facts: SourceFacts, lineAt: LineLookUp): Visitor {
  const propertyNames = new Set<unknown>();
  const namesProperty = (node: { key: unknown; computed: boolean; shorthand?: boolean }) => {
    if (!node.computed && !node.shorthand) propertyNames.add(node.key);
  };
  return new Visitor({
    // Parents are visited before their children, so a property's name is marked before it is visited.
    MemberExpression(node) {
      if (node.computed) return;
      propertyNames.add(node.property);
      const object = node.object.type === 'MemberExpression' ? node.object.property : node.object;
      if (object.type === 'Identifier' && node.property.type === 'Identifier') {
        facts.members.push({ line: lineAt(node.start), text: `${object.name}.${node.property.name}` });
      }
    },
    Property: namesProperty,
    PropertyDefinition: namesProperty,
    MethodDefinition: namesProperty,
    TSPropertySignature: namesProperty,
    TSMethodSignature: namesProperty,
    Identifier(node) {
      if (!propertyNames.has(node)) facts.identifiers.push({ line: lineAt(node.start), text: node.name });
    },
    Literal(node) {
      if (typeof node.value === 'string') facts.strings.push({ line: lineAt(node.start), text: node.value });
    },
    TemplateLiteral(node) {
      facts.strings.push({ line: lineAt(node.start), text: node.quasis.map(({ value }) => value.cooked).join('${}') });
    },
    TSImportType(node) {
      facts.imports.push({ line: lineAt(node.start), specifier: node.source.value, names: ['*'], typeOnly: true });
    },
    ImportExpression(node) {
      const specifier =
        node.source.type === 'Literal' && typeof node.source.value === 'string' ? node.source.value : null;
      facts.imports.push({ line: lineAt(node.start), specifier, names: ['*'], typeOnly: false });
    },
  });
}

function makeLineLookUp(text: string): LineLookUp {
  const breaks = [...text.matchAll(/\n/g)].map((match) => match.index);
  // A binary search, because this runs for every identifier: the line is one more than the line breaks before the offset.
  return (offset) => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] ?? offset) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
