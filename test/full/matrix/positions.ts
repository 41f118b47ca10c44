/** The places of a request that name records, and how the API answers there to an id that it does not find. */
import { makeCursorAfter, pageWindow, type PageQuery } from '../../../src/platform/store/paging.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { findId, type FullCompany } from './companies.ts';
import { listTextPlaces, type Operation, type TextPlace } from './document.ts';

/** A place of a request that names a record. */
export interface Position extends TextPlace {
  /** Returns the text that names the record with this id. */
  write(id: string, own: FullCompany): string;
  /** The status for an id that is not found. */
  answer: number;
  /** True when any text is allowed here; a text that matches nothing gets the same answer as an unknown id. */
  isFree: boolean;
  /** True when the error hides the reason, as all refusals at log-in do. */
  unsaid: boolean;
  /** True when the answer repeats the given text, as in `custom_fields.<key> refers to a record that does not exist`. */
  echoed: boolean;
  /** The name of the place in an error, where it is different from its path. */
  at?: string;
}

/** How an id is written where it is part of a longer text. */
interface IdWriting extends Pick<Position, 'answer' | 'at'> {
  write(operation: Operation): Position['write'];
}

const inFilters = (at: string): IdWriting => ({
  answer: 400,
  at,
  write: () => (field) => JSON.stringify([{ field, operator: 'eq', value: 'Ana' }]),
});

const WRITINGS = new Map<string, IdWriting>([
  ['after', { answer: 200, write: writeCursor }],
  // A list of ids: one that is not found is left out, and a text that is no id is refused.
  ['ids', { answer: 200, write: () => (id) => id }],
  ['filters', inFilters('filters[].field')],
  // The same filters select the conversations of a bulk change.
  ['filter.filters', inFilters('filter.filters[].field')],
  // And those of a saved view.
  ['filters.filters', inFilters('filters.filters[].field')],
]);

const ID_LENGTH = newId().length;

export function findPositions(operation: Operation): Position[] {
  const unsaid = operation.codes.has('INVALID_CREDENTIALS');
  return listTextPlaces(operation).flatMap((place) => {
    // The filters of rows name columns of their own table, and no records.
    if (place.path === 'filters' && place.kinds.length === 0) return [];
    // A priority is one of a few fixed words.
    if (place.path === 'priority') return [];
    // A cursor contains the id of a record of its list. A filter that takes any text might find a record by its id, although the document
    // does not say so.
    const kinds = place.kinds.length === 0 && place.in === 'query' ? operation.answers : place.kinds;
    if (kinds.length === 0) return [];
    const writing = WRITINGS.get(place.path);
    const isFree = place.in === 'query' && !place.isId && !writing;
    // A text that is too short for an id names no record.
    if (isFree && place.maxLength < ID_LENGTH) return [];
    const isRefused = operation.codes.has('UNKNOWN_REFERENCE') && !isFree;
    const answer = place.in === 'path' ? 404 : (writing?.answer ?? (unsaid ? 401 : isRefused ? 400 : 200));
    const write = writing?.write(operation) ?? ((id: string) => id);
    const echoed = place.path.endsWith('.*');
    return [{ ...place, kinds, write, answer, isFree, unsaid, echoed, ...(writing?.at ? { at: writing.at } : {}) }];
  });
}

/**
 * Returns whether a text that is no id is reported as malformed. It is not in a path, which answers 404, where a slug may be any text, and
 * where refusals give no reason.
 */
export const reportsNonsense = (
  { in: where, kinds, isId, isFree, unsaid }: Position,
  { slugs }: FullCompany,
): boolean =>
  where !== 'path' && !isFree && !unsaid && (isId || where === 'query' || !kinds.some((kind) => kind in slugs));

// This time is after all records of a test, so a list that starts there is empty or the same as without a cursor.
const CURSOR_TIME = new Date(Date.UTC(2100, 0)).toISOString();

/** The name of a list in its cursors, where it is not the last word of its path. */
const LISTS = new Map<string, (own: FullCompany) => string>([
  ['/v1/messages/conversation/{id}', (own) => `messages:${findId(own, 'conversation')}`],
  ['/v1/inboxes/{id}/templates', (own) => `templates:${findId(own, 'inbox')}`],
  ['/v1/conversations/bulk', () => 'conversation-runs'],
  ['/v1/contacts/bulk-changes', () => 'contact-runs'],
  ['/v1/conversations/{id}/history', (own) => `history:${findId(own, 'conversation')}`],
  ['/v1/rules/{id}/runs', (own) => `rule-runs:${findId(own, 'rule')}`],
  ['/v1/webhooks/deliveries/replay', () => 'delivery-replays'],
  ['/v1/contacts/{id}/notes', (own) => `contact-notes:${findId(own, 'contact')}`],
  ['/v1/contacts/{id}/table-rows', (own) => `contact-rows:${findId(own, 'contact')}`],
  ['/v1/contacts/import', () => 'imports:CONTACTS:null'],
  ['/v1/tables/{id}', (own) => `rows:${findId(own, 'table')}`],
  ['/v1/tables/{tableId}/rows', (own) => `rows:${findId(own, 'table')}`],
]);

function writeCursor({ path, query }: Operation): Position['write'] {
  const sort = query.find(({ name }) => name === 'sort')?.schema.default as PageQuery['sort'];
  return (_id, own) => {
    const list = LISTS.get(path)?.(own) ?? path.split('/').at(-1) ?? '';
    return makeCursorAfter(pageWindow(list, { limit: 20, skipCount: false, sort }), { _id, createdAt: CURSOR_TIME });
  };
}
