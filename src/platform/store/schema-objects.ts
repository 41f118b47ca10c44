/**
 * The functions, procedures and triggers of the database. Each is written once in sql/. The table schema_objects says which of them the
 * database has, so that a start replaces only what has changed: replacing a trigger locks its table.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { changeSchema } from './schema-change.ts';

const FOLDER = join(import.meta.dirname, '../../../sql');
// The functions of the platform are used by those of the rooms.
const FIRST_FILE = 'platform.sql';
const OBJECT =
  /^create (?:or replace )?(?:constraint )?(?:(function|procedure) (\w+)\s*\(([^)]*)\)|trigger (\w+) [^;]*?\bon (\w+))/;
// PostgreSQL's codes for a function whose new form cannot replace the old one, and for a trigger that can only be dropped.
const IRREPLACEABLE = new Set(['42P13', '42710']);
// The definition of the object with the name `name`, as the catalogue has it; null when there is none.
const DEFINITION = `case when name like 'trigger %'
  then (select pg_get_triggerdef(t.oid) from pg_trigger t
    where t.tgname = split_part(name, ' ', 2) and t.tgrelid = to_regclass(split_part(name, ' ', 4)))
  else pg_get_functiondef(to_regprocedure(substr(name, position(' ' in name) + 1))) end`;
// Another major version of PostgreSQL may write the same definition in another way.
const MAJOR = `current_setting('server_version_num')::int / 10000 || ' '`;

/** One function, procedure or trigger of sql/. */
interface SchemaObject {
  /** As a drop statement names it: `function fold(text)`, `trigger quota on stored_changes`. */
  name: string;
  /** Creates it, and grants the right to call it. */
  statement: string;
  digest: string;
}

/** A row of schema_objects. */
interface StoredObject {
  name: string;
  /** Empty when a migration has created the object. */
  digest: string;
  /** False when the catalogue has another definition than the statement created; null when the database has moved on from this statement. */
  isIntact: boolean | null;
}

/** Returns the objects of sql/ in the order in which they can be created: triggers after all functions. */
export async function readObjects(): Promise<SchemaObject[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).toSorted();
  const texts = await Promise.all(
    [FIRST_FILE, ...files.filter((name) => name !== FIRST_FILE)].map((name) => readFile(join(FOLDER, name), 'utf8')),
  );
  const statements = texts.flatMap((text) => text.replaceAll('\r\n', '\n').split(/^(?=create )/m));
  const objects = statements.filter((statement) => statement.startsWith('create ')).map(parseObject);
  return objects.toSorted((a, b) => Number(isTrigger(a.name)) - Number(isTrigger(b.name)));
}

function parseObject(text: string): SchemaObject {
  // The comment at the end belongs to the next object.
  const statement = text.replace(/(?:\n(?:--.*)?)*$/, '');
  const [, kind, name, parameters = '', trigger, table] = OBJECT.exec(statement) ?? [];
  const digest = createHash('sha256').update(statement).digest('hex');
  if (trigger) return { name: `trigger ${trigger} on ${table}`, statement, digest };
  if (!kind) throw new Error(`sql/ has a statement that creates no function, procedure or trigger: ${statement}`);
  const types = parameters.split(',').map((parameter) =>
    parameter
      .trim()
      .replace(/^\w+ /, '')
      .replace(/ default .*/, ''),
  );
  return { name: `${kind} ${name}(${types.join(',')})`, statement, digest };
}

const isTrigger = (name: string): boolean => name.startsWith('trigger ');

/**
 * Lists the objects that replaceObjects() would replace or drop. Without `mayReplace` only those that the database has never had, so that a
 * process of an earlier version can start again during an upgrade.
 */
export async function findOutdatedObjects(client: pg.Client, mayReplace: boolean): Promise<string[]> {
  const objects = await readObjects();
  const stored = await readStored(client);
  if (mayReplace) {
    const { outdated, gone } = compare(objects, stored);
    return [...outdated.map(({ name }) => name), ...gone];
  }
  const known = new Set(stored.map(({ name, digest }) => `${name} ${digest}`));
  return objects.filter(({ name, digest }) => !known.has(`${name} ${digest}`)).map(({ name }) => name);
}

/** Brings the functions, procedures and triggers of the database in line with sql/, all at once. Other objects stay as they are. */
export async function replaceObjects(client: pg.Client): Promise<void> {
  const stored = await readStored(client);
  const { outdated, gone } = compare(await readObjects(), stored);
  if (outdated.length + gone.length === 0) return;
  const migrated = new Set(stored.filter(({ digest }) => digest === '').map(({ name }) => name));
  await changeSchema(client, 'the functions and triggers of sql/', async () => {
    for (const object of outdated)
      if (!(migrated.has(object.name) && (await isUnchangedTrigger(client, object)))) await create(client, object);
    await drop(client, gone);
    await store(client, outdated, gone);
  });
}

async function readStored(client: pg.Client): Promise<StoredObject[]> {
  const { rows } = await client.query<StoredObject>(
    `select name, digest, case when definition is null then null when definition not like ${MAJOR} || '%' then definition <> ''
        else coalesce(definition = ${MAJOR} || md5(${DEFINITION}), false) end as "isIntact" from schema_objects`,
  );
  return rows;
}

function compare(objects: SchemaObject[], stored: StoredObject[]): { outdated: SchemaObject[]; gone: string[] } {
  const current = stored.filter(({ isIntact }) => isIntact !== null);
  const intact = new Map(current.filter(({ isIntact }) => isIntact).map(({ name, digest }) => [name, digest]));
  const names = new Set(objects.map(({ name }) => name));
  return {
    outdated: objects.filter(({ name, digest }) => intact.get(name) !== digest),
    gone: current.map(({ name }) => name).filter((name) => !names.has(name)),
  };
}

/** Whether a trigger that a migration has created is already as in sql/. */
async function isUnchangedTrigger(client: pg.Client, { name, statement }: SchemaObject): Promise<boolean> {
  if (!isTrigger(name)) return false;
  const { rows } = await client.query<{ definition: string | null }>(
    `select ${DEFINITION} as definition from (values ($1)) named (name)`,
    [name],
  );
  // The catalogue adds parentheses, types and the schema.
  const reduce = (sql: string): string => sql.toLowerCase().replaceAll(/or replace|public\.|::\w+|[\s();]/g, '');
  return reduce(rows[0]?.definition ?? '') === reduce(statement);
}

/** Creates or replaces an object. One that cannot be replaced, such as a constraint trigger, is dropped first. */
async function create(client: pg.Client, { name, statement }: SchemaObject): Promise<void> {
  await client.query('savepoint before_object');
  try {
    await client.query(statement);
  } catch (error) {
    if (!IRREPLACEABLE.has((error as { code?: string }).code ?? '')) throw error;
    await client.query('rollback to savepoint before_object');
    await drop(client, [name]);
    await client.query(statement);
  }
  await client.query('release savepoint before_object');
}

/** Drops triggers first, because they use functions, and then functions together, because they use each other. */
async function drop(client: pg.Client, names: string[]): Promise<void> {
  for (const name of names.filter(isTrigger)) await client.query(name.replace('trigger', 'drop trigger if exists'));
  const routines = names.filter((name) => !isTrigger(name)).map((name) => name.replace(/^\w+ /, ''));
  if (routines.length > 0) await client.query(`drop routine if exists ${routines.join(', ')}`);
}

async function store(client: pg.Client, created: SchemaObject[], gone: string[]): Promise<void> {
  const names = created.map(({ name }) => name);
  await client.query('update schema_objects set definition = null where name = any($1)', [[...names, ...gone]]);
  await client.query(
    `insert into schema_objects (name, digest, definition)
      select name, digest, ${MAJOR} || md5(${DEFINITION}) from unnest($1::text[], $2::text[]) made (name, digest)
      on conflict (name, digest) do update set definition = excluded.definition`,
    [names, created.map(({ digest }) => digest)],
  );
  await client.query(`delete from schema_objects where digest = ''`);
}
