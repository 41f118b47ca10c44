import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import { define, Name, nullable, recordId, ref, strict, Timestamp, plain } from '../../platform/values/schema.ts';
import { FieldValue, fieldValuesSchema } from '../custom-fields/schemas.ts';

export const Business = define(
  'Business',
  Type.Object({
    _id: recordId('business'),
    company: recordId('company'),
    name: plain.name,
    domain: nullable(plain.text('The internet domain of the business')),
    description: nullable(plain.text('What the field is for, shown to people')),
    custom_fields: Type.Array(ref(FieldValue), {
      description: 'The values of custom fields that are not empty',
    }),
    owner: nullable(recordId('user')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Business = Static<typeof Business>;

const name = Name;
const optionalProperties = {
  // RFC 1035 allows no longer domain.
  domain: Type.Optional(
    nullable(Type.String({ format: 'hostname', maxLength: 253, description: 'The internet domain of the business' })),
  ),
  description: Type.Optional(
    nullable(Type.String({ maxLength: 2_000, description: 'What the field is for, shown to people' })),
  ),
  custom_fields: Type.Optional(fieldValuesSchema('business')),
  owner: Type.Optional(nullable(recordId('user'))),
};

export const BusinessCreate = define('BusinessCreate', strict({ name, ...optionalProperties }));
export type BusinessCreate = Static<typeof BusinessCreate>;

export const BusinessUpdate = define('BusinessUpdate', strict({ name: Type.Optional(name), ...optionalProperties }));
export type BusinessUpdate = Static<typeof BusinessUpdate>;

export const BusinessParams = Type.Object({ id: recordId('business') });
export const BusinessList = pageSchema(ref(Business));
export const BusinessQuery = pageQuery('-createdAt', {
  search: searchParameter('Part of the name or domain'),
});
export type BusinessQuery = Static<typeof BusinessQuery>;
