import { Type, type Static } from 'typebox';
import { define, plain, ref, strict } from '../../../platform/values/schema.ts';
import { changeRun, runRequest } from '../../../platform/work/runs/schemas.ts';
import { ContactFilters, ContactUpdate, MAX_TAGS, tag } from '../schemas.ts';

const tagList = (description: string) =>
  Type.Array(tag, { minItems: 1, maxItems: MAX_TAGS, uniqueItems: true, description });

const { owner, business, custom_fields, language, opted_out, blocked } = ContactUpdate.properties;

const ContactChange = define(
  'ContactChange',
  Type.Partial(
    strict({
      add_tags: tagList('Tags to add to each contact'),
      remove_tags: tagList('Tags to remove from each contact'),
      owner,
      business,
      custom_fields,
      language,
      opted_out,
      blocked,
      delete: plain.flag(
        'true: erases each contact like DELETE /v1/contacts/{id}, permanently and without an event. Not allowed with other changes',
      ),
    }),
    { additionalProperties: false, minProperties: 1 },
  ),
);
export type ContactChange = Static<typeof ContactChange>;

const WHAT = { change: ref(ContactChange, 'The change to each contact') };

export const ContactRunCreate = define('ContactRunCreate', runRequest('contact', ContactFilters, WHAT));
export type ContactRunCreate = Static<typeof ContactRunCreate>;

export const ContactRun = define('ContactRun', changeRun('contact', WHAT));
export type ContactRun = Static<typeof ContactRun>;
