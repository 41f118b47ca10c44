/** The places of a request that name records, and what the API answers there to the id of a record that it does not find. */
import { cursorAfter, pageWindow, type PageQuery } from '../../../src/platform/paging.ts';
import { findId, type Side } from './companies.ts';
import { textPlaces, type Operation, type Place } from './document.ts';

/** A place of a request that names a record. */
export interface Position extends Place {
  /** The text that names the record with this id. */
  write(id: string, own: Side): string;
  /** The status for an id that is not found. */
  answer: number;
  /** Any text is allowed here; one that matches nothing is answered like an unknown id. */
  isFree: boolean;
  /** The error hides the reason, as all refusals at log-in do. */
  unsaid: boolean;
  /** The answer repeats the given text, as in `custom_fields.<key> points to nothing`. */
  echoed: boolean;
  /** The name of the place in an error, where it is not its path. */
  at?: string;
}

/** How an id is written where it is part of a longer text. */
interface Writing extends Pick<Position, 'answer' | 'at'> {
  write(operation: Operation): Position['write'];
}

const WRITINGS = new Map<string, Writing>([
  ['after', { answer: 200, write: writeCursor }],
  [
    'filters',
    {
      answer: 400,
      at: 'filters[].field',
      write: () => (field) => JSON.stringify([{ field, operator: 'eq', value: 'Ana' }]),
    },
  ],
]);

export function findPositions(operation: Operation): Position[] {
  const unsaid = operation.codes.has('INVALID_CREDENTIALS');
  return textPlaces(operation).flatMap((place) => {
    // A cursor contains the id of a record of its list, and a filter by any text might find a record by its id without stating it.
    const kinds = place.kinds.length === 0 && place.in === 'query' ? operation.answers : place.kinds;
    if (kinds.length === 0) return [];
    const writing = WRITINGS.get(place.path);
    const isFree = place.in === 'query' && !place.isId && !writing;
    const isRefused = operation.codes.has('UNKNOWN_REFERENCE') && !isFree;
    const answer = place.in === 'path' ? 404 : (writing?.answer ?? (unsaid ? 401 : isRefused ? 400 : 200));
    const write = writing?.write(operation) ?? ((id: string) => id);
    const echoed = place.path.endsWith('.*');
    return [{ ...place, kinds, write, answer, isFree, unsaid, echoed, ...(writing?.at ? { at: writing.at } : {}) }];
  });
}

/** Whether a text that is no id is reported as malformed: a path answers 404, a slug may be any text, and some refusals give no reason. */
export const reportsNonsense = ({ in: where, kinds, isId, isFree, unsaid }: Position, { slugs }: Side): boolean =>
  where !== 'path' && !isFree && !unsaid && (isId || where === 'query' || !kinds.some((kind) => kind in slugs));

// A time after all records of a test: a list from there shows the same as without a cursor, or nothing.
const CURSOR_TIME = new Date(Date.UTC(2100, 0)).toISOString();

/** What a list is called in its cursors, where that is not the last word of its path. */
const LISTS = new Map<string, (own: Side) => string>([
  ['/v1/messages/conversation/{id}', (own) => `messages:${findId(own, 'conversation')}`],
  ['/v1/contacts/import', () => 'imports:CONTACTS:null'],
  ['/v1/tables/{id}', (own) => `rows:${findId(own, 'table')}`],
  ['/v1/tables/{tableId}/rows', (own) => `rows:${findId(own, 'table')}`],
]);

function writeCursor({ path, query }: Operation): Position['write'] {
  const sort = query.find(({ name }) => name === 'sort')?.schema.default as PageQuery['sort'];
  return (_id, own) => {
    const list = LISTS.get(path)?.(own) ?? path.split('/').at(-1) ?? '';
    return cursorAfter(pageWindow(list, { limit: 20, skipCount: false, sort }), { _id, createdAt: CURSOR_TIME });
  };
}
