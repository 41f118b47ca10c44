/** The query parameter `filters` of lists. */
import { Type } from 'typebox';
import { namesRecord } from '../../values/schema.ts';
import { MAX_FILTERS } from './items.ts';

/** Describes the filters of a list; `fields` says what they can name. */
export const describeFilters = (fields: string): string =>
  `A JSON array, URL-encoded, of at most ${MAX_FILTERS} items {field, operator, value}. \`field\` is ${fields}. ` +
  '`operator` is eq, neq, contains, not_contains, starts_with, ends_with, is_empty or is_not_empty, the last two without a value; ' +
  'for NUMBER and DATE also gt, gte, lt and lte. Texts are compared without regard to case, but with their accents. NUMBER takes a ' +
  'number: contains and its like compare its text, the others its value. DATE takes a day such as 2026-11-20, BOOLEAN true or false. ' +
  'Of a LIST one item has to fit; for neq and not_contains none may. neq and not_contains keep records that have no value at all. ' +
  'Empty is what is null, absent, "" or []. The characters %, _ and \\ mean nothing special.';

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
