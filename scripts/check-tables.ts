/** Checks which tables the SQL of each room names: `node scripts/check-tables.ts`, in the root of the repository. */
import { globSync, readFileSync } from 'node:fs';
import { readSources, reportViolations } from './source-facts.ts';
import { findTableViolations } from './table-law.ts';
import { EXCEPTIONS, TABLES } from './tables.ts';

const files = readSources('.', ['src']);
const migrations = globSync('migrations/*.sql').map((path) => readFileSync(path, 'utf8'));
const law = { tables: TABLES, exceptions: EXCEPTIONS };
reportViolations('tables', files.length, findTableViolations(files, migrations.join('\n'), law));
