import { Type, type Static } from 'typebox';
import { define, nullable, plain, strict } from '../../../platform/values/schema.ts';
import { ContactImportForm } from '../schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** The most numbers of a preview: people look at no more rows before they import. */
const MAX_PREVIEWED = declareLimit(100, {
  topic: 'Contacts',
  what: 'Import: phone numbers in a preview',
  beyond: '400',
});
export const PhonesToPreview = define(
  'PhonesToPreview',
  strict({
    phone_numbers: Type.Array(
      Type.String({ maxLength: 200, description: 'A phone number as it is in a cell of the sheet' }),
      {
        minItems: 1,
        maxItems: MAX_PREVIEWED,
        description: 'The first numbers of the sheet',
      },
    ),
    country: ContactImportForm.properties.country,
  }),
);
export type PhonesToPreview = Static<typeof PhonesToPreview>;

export const PhonePreview = define(
  'PhonePreview',
  Type.Object({
    country: nullable(plain.text('ISO 3166 alpha-2: the country used to read the numbers; null: none is set')),
    phone_numbers: Type.Array(
      Type.Object({
        written: plain.text('The number as given in the request'),
        phone_number: nullable(plain.text('E.164, as it would be stored; null if its row would fail')),
        country_code: nullable(plain.text('ISO 3166 alpha-2, derived from the number')),
        wants_country: plain.flag('Whether the number is rejected because no country is set'),
        error: nullable(plain.text('Why the row would fail, in a sentence for people; null if it would not')),
      }),
      { description: 'The numbers, in the order of the request' },
    ),
  }),
);
export type PhonePreview = Static<typeof PhonePreview>;
