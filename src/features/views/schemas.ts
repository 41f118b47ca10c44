import { Type, type Static } from 'typebox';
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
import { CONVERSATION_SORTS, ConversationFilters } from '../conversations/schemas.ts';

/** The most views that a company shares, and the most private ones of a user. Each of them is counted. */
export const MAX_VIEWS = declareLimit(50, {
  topic: 'Messages',
  what: 'Saved views shared by a company, and private ones of each user',
  beyond: '400',
});
/** The most conversations that the count of a view counts, so that the counts of all views are quick. */
export const MOST_COUNTED = declareLimit(1_000, {
  topic: 'Messages',
  what: 'Conversations that are counted for a saved view',
  beyond: 'the count stays at this number',
});
const MAX_POSITION = declareLimit(1_000_000, { topic: 'Messages', what: 'Position of a saved view', beyond: '400' });

const FILTERS =
  'The filters of GET /v1/conversations. The owner me is the user who looks. A view whose filters name a record that was ' +
  'deleted later matches no conversation';
const sort = oneOf(CONVERSATION_SORTS, 'The sort order of GET /v1/conversations');

export const View = define(
  'View',
  Type.Object({
    _id: recordId('view'),
    company: recordId('company'),
    name: plain.name,
    owner: nullable(recordId('user'), 'Null for a shared view of a key or of a user who was removed'),
    is_shared: plain.flag('Whether everyone who may read conversations sees the view'),
    filters: ref(ConversationFilters, FILTERS),
    sort,
    position: plain.integer('Its place among the views, the smallest first'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type View = Static<typeof View>;

const properties = {
  name: Type.String({
    ...Name,
    maxLength: 80,
    description: "Unique, ignoring case, among the company's shared views and among the private views of each user",
  }),
  filters: ref(ConversationFilters, FILTERS),
};
const optional = {
  is_shared: Type.Optional(
    plain.flag(
      'true: everyone who may read conversations sees the view; false: only its owner. Keys have shared views only',
    ),
  ),
  sort: Type.Optional(sort),
  position: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_POSITION, description: 'Its place among the views, the smallest first' }),
  ),
};

export const ViewCreate = define('ViewCreate', strict({ ...properties, ...optional }));
export type ViewCreate = Static<typeof ViewCreate>;

export const ViewUpdate = define(
  'ViewUpdate',
  Type.Partial(strict({ ...properties, ...optional }), { additionalProperties: false }),
);
export type ViewUpdate = Static<typeof ViewUpdate>;

export const ViewCounts = define(
  'ViewCounts',
  Type.Object({
    views: Type.Array(
      Type.Object({
        view: recordId('view'),
        count: nullable(
          plain.integer(
            `Its conversations, closed ones excluded; ${MOST_COUNTED} means that many or more. Null for a view of closed ` +
              'conversations, for one with a search, and for the owner me if the caller is a key',
          ),
        ),
      }),
      { description: 'The views that the caller sees' },
    ),
  }),
);
export type ViewCounts = Static<typeof ViewCounts>;

export const ViewParams = Type.Object({ id: recordId('view') });
export const ViewList = pageSchema(ref(View));
export const ViewQuery = pageQuery('-createdAt', {});
export type ViewQuery = Static<typeof ViewQuery>;
