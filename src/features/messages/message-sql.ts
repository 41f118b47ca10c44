/** The statement that inserts messages. */
import { givenRows } from '../../platform/store/given-rows.ts';

type Kind = 'text' | 'boolean' | 'timestamptz' | 'json' | 'list';

/** The columns that hold no text. Lists are given as JSON. */
const KINDS = new Map<string, Kind>([
  ...['media', 'template', 'interactive', 'location', 'contacts', 'reaction'].map((name) => [name, 'json'] as const),
  ...['referral', 'unsupported', 'email', 'errors'].map((name) => [name, 'json'] as const),
  ['mentions', 'list'],
  ['is_echo', 'boolean'],
  ['is_test', 'boolean'],
  ['sent_at', 'timestamptz'],
  ['created_at', 'timestamptz'],
  ['updated_at', 'timestamptz'],
]);
const findKind = (column: string): Kind => KINDS.get(column) ?? 'text';

// JSON is sent as text and cast, because an array of jsonb would need PostgreSQL's quoting twice.
const TYPES: Record<Kind, string> = {
  text: 'text',
  boolean: 'boolean',
  timestamptz: 'timestamptz',
  json: 'text',
  list: 'text',
};

function readColumn(column: string): string {
  const kind = findKind(column);
  if (kind === 'list') return `array(select jsonb_array_elements_text(n.${column}::jsonb))`;
  return kind === 'json' ? `n.${column}::jsonb` : `n.${column}`;
}

/**
 * `computed`: columns before these with expressions over the row `n`; `first`: the number of the first parameter; `rows`: whether these are
 * arrays.
 */
export function insertSql(
  columns: readonly string[],
  {
    computed = {},
    first = 1,
    rows = givenRows,
  }: { computed?: Readonly<Record<string, string>>; first?: number; rows?: typeof givenRows } = {},
): string {
  const types = Object.fromEntries(columns.map((column) => [column, TYPES[findKind(column)]]));
  return `insert into messages as m (${[...Object.keys(computed), ...columns].join(', ')})
  select ${[...Object.values(computed), ...columns.map(readColumn)].join(', ')} from ${rows(types, first)} n`;
}
