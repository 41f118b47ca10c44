/**
 * Checks that the linter does not offer: the length and the name of each file, and that no file only re-exports others. `node
 * scripts/check-taste.ts [root]`. Fails when it found no file.
 */
import { isTest } from './import-law.ts';
import { readFacts, readSources, reportViolations, type SourceFile, type Violation } from './source-facts.ts';

/** A longer file usually serves two purposes and should be split. */
const MAX_LINES = 300;
/** Names that do not describe a file's content, so that unrelated code collects there. */
const EMPTY_NAME = /(?:^|-)(?:utils?|helpers?|managers?)$|^(?:common|base|misc|shared)(?:-|$)/;
const WRITTEN_BY_PROGRAMS = /^sdk\/(?:dist|src\/generated)\//;
const FOLDERS = ['src', 'sandbox', 'scripts', 'test', 'bench', 'web', 'sdk'];

export function findTasteViolations(file: SourceFile): Violation[] {
  const violations: Violation[] = [];
  const found = (line: number, sentence: string) => violations.push({ path: file.path, line, sentence });
  // The text ends with a line break, so the last element is empty.
  const lineCount = file.text.split('\n').length - 1;
  const mayBeLong = isTest(file.path) || file.path.startsWith('test/');
  if (lineCount > MAX_LINES && !mayBeLong) found(MAX_LINES + 1, `has ${lineCount} lines; ${MAX_LINES} is the most`);
  for (const name of file.path.split('/').map((segment) => segment.replace(/(?:\.test)?\.ts$/, ''))) {
    if (EMPTY_NAME.test(name)) found(1, `the name "${name}" does not say what is inside`);
  }
  if (readFacts(file).onlyReexports) found(1, 'is a barrel: import from where a thing is made');
  return violations;
}

if (import.meta.main) {
  const files = readSources(process.argv[2] ?? '.', FOLDERS).filter(({ path }) => !WRITTEN_BY_PROGRAMS.test(path));
  reportViolations('taste', files.length, files.flatMap(findTasteViolations));
}
