/** Checks which tables the SQL of each room names: `node scripts/check-tables.ts`, in the root of the repository. */
import { readSources, reportViolations } from './source-facts.ts';
import { findTableViolations } from './table-law.ts';
import { EXCEPTIONS, readMigrations, readTableOwners } from './tables.ts';

const files = readSources('.', ['src']);
const law = { tables: readTableOwners(readMigrations()), exceptions: EXCEPTIONS };
reportViolations('tables', files.length, findTableViolations(files, law));
