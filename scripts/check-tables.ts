/** Checks which tables the SQL of each room names, and that migrations create no functions: `node scripts/check-tables.ts`, in the root of the repository. */
import { globSync } from 'node:fs';
import { readSources, reportViolations } from './source-facts.ts';
import { findTableViolations } from './table-law.ts';
import { EXCEPTIONS, findMigratedObjects, findRoom, readMigrations, readTableOwners } from './tables.ts';

const files = readSources('.', ['src']);
const migrations = readMigrations();
const law = { tables: readTableOwners(migrations), exceptions: EXCEPTIONS };
globSync('sql/*.sql').forEach(findRoom);
reportViolations('tables', files.length, [...findTableViolations(files, law), ...findMigratedObjects(migrations)]);
