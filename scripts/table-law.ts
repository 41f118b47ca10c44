/**
 * Checks that a room's SQL, like its imports, depends only on rooms listed before it. It reads the rooms' queries and the platform, but not
 * what triggers and functions of the database use.
 */
import { QUERIES } from './doors.ts';
import { isTest } from './import-law.ts';
import { ROOMS } from './rooms.ts';
import { readFacts, type SourceFile, type Violation } from './source-facts.ts';
import type { TableException, Owner } from './tables.ts';

export interface TableLaw {
  tables: ReadonlyMap<string, Owner>;
  exceptions: readonly TableException[];
}

const LAW_FILE = 'scripts/tables.ts';
/** The words before a table's name. In a list with commas only names with a one-letter alias are recognised. */
const NAMED =
  /(?:\b(?:from|join|update|into|using|table|references)\s+(?:only\s+)?|,\s*(?=\w+\s+(?:as\s+)?[a-z]\b))([a-z_]\w*)/gi;

interface TableUse {
  path: string;
  line: number;
  room: Owner;
  table: string;
}

/** `files` are those of src/. */
export function findTableViolations(files: SourceFile[], law: TableLaw): Violation[] {
  const strays = files.flatMap((file) => findUses(file, law)).filter((use) => isOfLaterRoom(use, law));
  const isExcepted = ({ room, table }: TableUse) =>
    law.exceptions.some((exception) => exception.room === room && exception.table === table);
  return [
    ...strays
      .filter((use) => !isExcepted(use))
      .map(({ path, line, room, table }) => ({
        path,
        line,
        sentence: `names ${table} of ${law.tables.get(table)}, which is listed after ${room}`,
      })),
    ...law.exceptions
      .filter(({ room, table }) => !strays.some((use) => use.room === room && use.table === table))
      .map(({ room, table }) => ({
        path: LAW_FILE,
        line: 1,
        sentence: `the exception of ${room} for ${table} is not needed`,
      })),
  ];
}

/** Lists each table that a file names once. */
function findUses(file: SourceFile, { tables }: TableLaw): TableUse[] {
  const { path } = file;
  const isRoom = QUERIES.test(path);
  if (isTest(path) || (!isRoom && !path.startsWith('src/platform/'))) return [];
  const room = isRoom ? ROOMS.find((listed) => listed === path.split('/')[2]) : 'platform';
  if (!room) return [];
  const uses = new Map<string, TableUse>();
  for (const { line, text } of readFacts(file).strings) {
    const names = [...text.matchAll(NAMED)].map(([, name = '']) => name);
    // A string that is only a name may be inserted into a statement elsewhere in the file. In the platform such strings are ignored,
    // because it has resources with the same names.
    for (const table of isRoom ? [text, ...names] : names) {
      if (tables.has(table) && !uses.has(table)) uses.set(table, { path, line, room, table });
    }
  }
  return [...uses.values()];
}

function isOfLaterRoom({ room, table }: TableUse, { tables }: TableLaw): boolean {
  const position = (owner: Owner | undefined) =>
    owner === 'platform' ? -1 : ROOMS.findIndex((name) => name === owner);
  return position(tables.get(table)) > position(room);
}
