/** SQL that inserts messages, and that finds them by the ids of the networks. */
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

/** Joins the key of each row (company_id, inbox_id, external_id) of `rows`, as `y`; only stored messages have one. */
export const joinKeys = (rows: string): string =>
  `join message_keys y on y.company_id = ${rows}.company_id and y.key = message_key(${rows}.inbox_id, ${rows}.external_id)`;

/** Joins the message of each of these rows, as `m`. */
export const joinByKeys = (rows: string): string =>
  `${joinKeys(rows)} join messages m on m.company_id = y.company_id and m._id = y.message_id`;

/** `computed`: columns before these with expressions over the row `n`; `rows`: the SQL of the rows. */
export const insertSql = (
  columns: readonly string[],
  { rows, computed = {} }: { rows: string; computed?: Readonly<Record<string, string>> },
): string => `insert into messages as m (${[...Object.keys(computed), ...columns].join(', ')})
  select ${[...Object.values(computed), ...columns.map(readColumn)].join(', ')} from ${rows} n`;

/** The types in which the columns are given. */
export const columnTypes = (columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((column) => [column, TYPES[findKind(column)]]));
