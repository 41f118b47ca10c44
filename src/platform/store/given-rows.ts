/** The SQL of rows that a statement gets as parameters, which are numbered from `first` in the order of the columns. */

/** The columns with their types. */
type Columns = Readonly<Record<string, string>>;

/**
 * A single row, each value a parameter. PostgreSQL opens a store of its own for each array of givenRows(), and it plans a statement with arrays of
 * one element again each time: for a message this is a quarter of what storing it costs.
 */
export const givenRow = (columns: Columns, first = 1): string =>
  `(select ${Object.entries(columns)
    .map(([name, type], place) => `$${first + place}::${type} as ${name}`)
    .join(', ')})`;

/** Any number of rows, with an array for each column. */
export const givenRows = (columns: Columns, first = 1): string =>
  `(select * from unnest(${Object.values(columns)
    .map((type, place) => `$${first + place}::${type}[]`)
    .join(', ')}) as given (${Object.keys(columns).join(', ')}))`;
