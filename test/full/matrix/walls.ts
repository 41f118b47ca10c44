/** Removes protections between companies, for tests only, so that each remaining protection is tested alone. */
import pg from 'pg';
import { ROLES } from '../../../src/platform/store/roles.ts';
import type { Platform } from '../../support/platform.ts';

/** `company_id = $1` and `v.company_id = $1`: the condition with which every statement restricts the company. */
const PREDICATE = /\b(?:[a-z]+\.)?company_id = (\$\d+)/g;

interface SentStatement {
  /** The statement's name; undefined for a statement that is planned at each execution. */
  name?: string;
  text: string;
}

export interface PredicateRemoval {
  /** Names of the statements that ran without their condition. */
  touched: Set<string>;
  restore(): void;
}

type Query = (this: object, ...given: unknown[]) => unknown;
const prototype = pg.Client.prototype as unknown as { query: Query };
/** The roles that connections have taken since this file was loaded. */
const roles = new WeakMap<object, string>();
const send = prototype.query;
prototype.query = function query(...given) {
  const [, role] = /^set role (\w+)/.exec(typeof given[0] === 'string' ? given[0] : '') ?? [];
  if (role !== undefined) roles.set(this, role);
  return send.apply(this, given);
};

/** Removes the company condition from all statements of this process that run for a company, until restore() is called. */
export function removePredicates(): PredicateRemoval {
  const touched = new Set<string>();
  const original = prototype.query;
  prototype.query = function query(...given) {
    const [statement, ...rest] = given;
    if (!isStatement(statement) || !runsForCompany(this)) return original.apply(this, given);
    // The parameter stays in the statement, because PostgreSQL needs to know its type.
    const text = statement.text.replaceAll(PREDICATE, '$1::text is not null');
    if (text === statement.text) return original.apply(this, given);
    const { name } = statement;
    touched.add(name ?? statement.text);
    // The statement gets another name, because the same name with another text would use the plan of the first text.
    return original.call(this, { ...statement, text, ...(name ? { name: `${name}.open` } : {}) }, ...rest);
  };
  return { touched, restore: () => void (prototype.query = original) };
}

function isStatement(statement: unknown): statement is SentStatement {
  return (
    typeof statement === 'object' && statement !== null && 'text' in statement && typeof statement.text === 'string'
  );
}

const runsForCompany = (client: object): boolean => [ROLES.app, ROLES.read].some((role) => role === roles.get(client));

/** Makes row-level security of this database show every row to every company. */
export async function disablePolicies({ database }: Platform): Promise<void> {
  const policies = await database.sql<{ table: string }>(
    `select tablename as table from pg_policies where policyname = 'tenant'`,
  );
  for (const { table } of policies) {
    await database.sql(`alter policy tenant on ${table} using (true) with check (true)`);
  }
}

/** Makes foreign keys accept records of other companies, by comparing the id alone. */
export async function removeCompanyFromKeys({ database }: Platform): Promise<void> {
  const keys = await database.sql<{ name: string; table: string; column: string; target: string }>(
    `select c.conname as name, c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as target
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
     where c.contype = 'f' and c.coninhcount = 0 and c.conparentid = 0 and c.conname like '%\\_ref' and array_length(c.conkey, 1) = 2`,
  );
  for (const { name, table, column, target } of keys) {
    await database.sql(`create unique index if not exists ${target}_by_id on ${target} (_id)`);
    await database.sql(`alter table ${table} drop constraint ${name}`);
    await database.sql(
      `alter table ${table} add constraint ${name} foreign key (${column}) references ${target} (_id)`,
    );
  }
}
