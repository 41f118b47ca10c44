/** The query parameter `filters` of lists. */
import { Type } from 'typebox';
import { namesRecord } from '../../values/schema.ts';
import { MAX_FILTERS } from './items.ts';

/** Describes the filters of a list; `fields` says what they can name. */
export const describeFilters = (fields: string): string =>
  `A JSON array, URL-encoded, of at most ${MAX_FILTERS} items {field, operator, value}. \`field\` is ${fields}. ` +
  '`operator` is eq, neq, contains, not_contains, starts_with, ends_with, is_empty or is_not_empty, the last two without a value; ' +
  'for NUMBER and DATE also gt, gte, lt and lte. Texts are compared ignoring case, but not accents. NUMBER accepts a ' +
  'number: contains, not_contains, starts_with and ends_with compare its text, the others its value. DATE accepts a day such as 2026-11-20, ' +
  'BOOLEAN true or false. One item of a LIST must match; for neq and not_contains, none. neq and not_contains also match records without ' +
  'a value. Null, absent, "" and [] are empty. The characters %, _ and \\ have no special meaning.';

/** Makes the schema of the parameter. It can be as long as a header, because the URL is sent in one. */
export const filtersParameter = (description: string, example: unknown[], ...kinds: string[]) =>
  Type.Optional(
    Type.String({
      maxLength: 16_384,
      description,
      examples: [JSON.stringify(example)],
      ...(kinds.length > 0 ? namesRecord(...kinds) : {}),
    }),
  );
