/** The statement that inserts messages, given as an array for each column. */

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

/** `computed`: columns before these with expressions over the row `n`; `first`: the number of the first array's parameter. */
export function insertSql(
  columns: readonly string[],
  { computed = {}, first = 1 }: { computed?: Readonly<Record<string, string>>; first?: number } = {},
): string {
  const arrays = columns.map((column, place) => `$${first + place}::${TYPES[findKind(column)]}[]`);
  return `insert into messages as m (${[...Object.keys(computed), ...columns].join(', ')})
  select ${[...Object.values(computed), ...columns.map(readColumn)].join(', ')} from unnest(${arrays.join(', ')}) as n (${columns.join(', ')})`;
}
