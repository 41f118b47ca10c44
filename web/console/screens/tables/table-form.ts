/** A table as its form has it. */
import type { Column, Table } from '@parley/sdk';
import { parley } from '../../client.ts';

export interface ColumnForm extends Pick<Column, 'title' | 'type' | 'required'> {
  /** Tells the columns of the form apart, also those that are not stored yet. */
  id: string;
  /** The name for programs; undefined for a new column, whose title makes it. */
  key?: string;
  /** One a line. */
  options: string;
}

export interface TableForm {
  name: string;
  slug: string;
  description: string;
  columns: readonly ColumnForm[];
  /** Removed columns lose their values. */
  dropsValues: boolean;
}

let made = 0;
export const makeColumn = (): ColumnForm => ({
  id: `new-${(made += 1)}`,
  title: '',
  type: 'TEXT',
  required: false,
  options: '',
});

export const hasOptions = (type: Column['type']): boolean => type === 'SELECT' || type === 'LIST';

export const toForm = (table: Table | null): TableForm => ({
  name: table?.name ?? '',
  slug: table?.slug ?? '',
  description: table?.description ?? '',
  columns: table?.columns.map((column) => ({ ...column, id: column.key, options: column.options.join('\n') })) ?? [
    makeColumn(),
  ],
  dropsValues: false,
});

/** Returns the columns that the form no longer has. */
export const listRemoved = (table: Table | null, { columns }: TableForm): Column[] =>
  (table?.columns ?? []).filter(({ key }) => !columns.some((column) => column.key === key));

const LONGEST_KEY = 60;

/** Makes a name for programs out of a title; another column may have it already. */
function makeKey(title: string, taken: ReadonlySet<string>): string {
  const words = title
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .match(/[a-z0-9]+/g);
  const plain = (words ?? []).join('_').replace(/^[\d_]+/, '') || 'column';
  const key = plain.slice(0, LONGEST_KEY);
  for (let number = 2; ; number += 1) {
    const free = number === 2 && !taken.has(key) ? key : `${key}_${number}`;
    if (!taken.has(free)) return free;
  }
}

type ColumnBody = Pick<Column, 'key' | 'title' | 'type' | 'required'> & { options?: string[] };

function toColumns(columns: readonly ColumnForm[]): ColumnBody[] {
  const taken = new Set(columns.flatMap(({ key }) => key ?? []));
  return columns.map(({ key: stored, title, type, required, options }) => {
    const key = stored ?? makeKey(title, taken);
    taken.add(key);
    const lines = options.split('\n').map((line) => line.trim());
    return { key, title, type, required, ...(hasOptions(type) && { options: lines.filter((line) => line !== '') }) };
  });
}

export function saveTable(table: Table | null, form: TableForm): Promise<Table> {
  const body = { name: form.name, description: form.description.trim() || null, columns: toColumns(form.columns) };
  if (!table) return parley.tables.create({ ...body, slug: form.slug || undefined });
  const drop = form.dropsValues ? { drop_columns: listRemoved(table, form).map(({ key }) => key) } : {};
  return parley.tables.update(table._id, { ...body, ...drop });
}
