import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import {
  define,
  Name,
  nullable,
  oneOf,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';
import { CONTACT_SORTS, ContactFilters } from '../contacts/schemas.ts';
import { CONVERSATION_SORTS, ConversationFilters } from '../conversations/schemas.ts';

/** The most views of a kind that a company shares, and the most private ones of a user. Each of them is counted. */
export const MAX_VIEWS = declareLimit(50, {
  topic: 'Messages',
  what: 'Saved views or segments shared by a company, and private ones of each user',
  beyond: '400',
});
/** The most records that the count of a view counts, so that the counts of all views are quick. */
export const MOST_COUNTED = declareLimit(1_000, {
  topic: 'Messages',
  what: 'Records that are counted for a saved view or a segment',
  beyond: 'the count stays at this number',
});
const MAX_POSITION = declareLimit(1_000_000, {
  topic: 'Messages',
  what: 'Position of a saved view or a segment',
  beyond: '400',
});

/** A saved filter of a list. */
export interface SavedView<F extends object = object> {
  _id: string;
  company: string;
  name: string;
  owner: string | null;
  is_shared: boolean;
  filters: F;
  sort: string;
  position: number;
  createdAt: string;
  updatedAt: string;
}

export interface ViewUpdate<F extends object> {
  name?: string;
  is_shared?: boolean;
  filters?: F;
  sort?: string;
  position?: number;
}

export type ViewCreate<F extends object> = ViewUpdate<F> & Pick<SavedView<F>, 'name' | 'filters'>;

export interface ViewSchemas<F extends object> {
  record: TSchema;
  view: TUnsafe<SavedView<F>>;
  create: TUnsafe<ViewCreate<F>>;
  update: TUnsafe<ViewUpdate<F>>;
  counts: TUnsafe<object>;
  list: TSchema;
  params: ReturnType<typeof idParams>;
}

interface SchemaWords {
  /** The name of the schema, and what texts call a record. */
  schema: 'View' | 'Segment';
  word: 'view' | 'segment';
  /** The records of the list, and everyone who sees a shared view. */
  of: string;
  seers: string;
  filters: TSchema;
  /** What the filters are, and what a count counts. */
  filtersAre: string;
  sorts: readonly string[];
  counts: string;
}

const idParams = (word: string) => Type.Object({ id: recordId(word) });

/** Makes the schemas of a kind of views. */
function viewSchemas<F extends object>(words: SchemaWords): ViewSchemas<F> {
  const { schema, word, of, seers, filtersAre } = words;
  const filters = ref(words.filters, filtersAre);
  const sort = oneOf(words.sorts, `The sort order of GET /v1/${of}`);
  const place = `Its place among the ${word}s, the smallest first`;
  const View = define(
    schema,
    Type.Object({
      _id: recordId(word),
      company: recordId('company'),
      name: plain.name,
      owner: nullable(recordId('user'), `Null for a shared ${word} of a key or of a user who was removed`),
      is_shared: plain.flag(`Whether ${seers} sees the ${word}`),
      filters,
      sort,
      position: plain.integer(place),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    }),
  );
  const unique = `Unique, ignoring case, among the company's shared ${word}s and among the private ${word}s of each user`;
  const properties = { name: Type.String({ ...Name, maxLength: 80, description: unique }), filters };
  const shared = `true: ${seers} sees the ${word}; false: only its owner. Keys have shared ${word}s only`;
  const optional = {
    is_shared: Type.Optional(plain.flag(shared)),
    sort: Type.Optional(sort),
    position: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_POSITION, description: place })),
  };
  const Create = define(`${schema}Create`, strict({ ...properties, ...optional }));
  const Update = define(
    `${schema}Update`,
    Type.Partial(strict({ ...properties, ...optional }), { additionalProperties: false }),
  );
  const Count = Type.Object({ [word]: recordId(word), count: nullable(plain.integer(words.counts)) });
  const counted = Type.Array(Count, { description: `The ${word}s that the caller sees` });
  const Counts = define(`${schema}Counts`, Type.Object({ [`${word}s`]: counted }));
  return {
    record: View,
    view: ref(View) as TUnsafe<SavedView<F>>,
    create: ref(Create) as TUnsafe<ViewCreate<F>>,
    update: ref(Update) as TUnsafe<ViewUpdate<F>>,
    counts: ref(Counts) as TUnsafe<object>,
    list: pageSchema(ref(View)),
    params: idParams(word),
  };
}

export const VIEW_SCHEMAS = viewSchemas<ConversationFilters>({
  schema: 'View',
  word: 'view',
  of: 'conversations',
  seers: 'everyone who may read conversations',
  filters: ConversationFilters,
  filtersAre:
    'The filters of GET /v1/conversations. The owner me is the user who looks. A view whose filters name a record that was ' +
    'deleted later matches no conversation',
  sorts: CONVERSATION_SORTS,
  counts:
    `Its conversations, closed ones excluded; ${MOST_COUNTED} means that many or more. Null for a view of closed ` +
    'conversations, for one with a search, and for the owner me if the caller is a key',
});

export const SEGMENT_SCHEMAS = viewSchemas<ContactFilters>({
  schema: 'Segment',
  word: 'segment',
  of: 'contacts',
  seers: 'everyone who may read contacts',
  filters: ContactFilters,
  filtersAre: 'The filters of GET /v1/contacts. A segment whose filters name a record that was deleted later is empty',
  sorts: CONTACT_SORTS,
  counts:
    `Its contacts; ${MOST_COUNTED} means that many or more. Null where no index finds them among more than 50,000 ` +
    'contacts',
});

export const ViewQuery = pageQuery('-createdAt', {});
export type ViewQuery = Static<typeof ViewQuery>;
