/**
 * Checks which modules may import each other and which may use SQL, the network and the process, over src, sandbox and web:
 * `node scripts/check-imports.ts [root]`. Prints each violation as file:line: sentence. Fails when it found no file.
 */
import { findDoorViolations } from './doors.ts';
import { findImportViolations, isJudged } from './import-law.ts';
import { readFacts, readSources, reportViolations, type SourceFile, type Violation } from './source-facts.ts';

export function findViolations(files: SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const facts = readFacts(file);
    return [...findImportViolations(facts), ...findDoorViolations(facts)];
  });
}

if (import.meta.main) {
  const files = readSources(process.argv[2] ?? '.', ['src', 'sandbox', 'web']).filter(({ path }) => isJudged(path));
  reportViolations('imports', files.length, findViolations(files));
}
