import { Type, type Static } from 'typebox';
import { define, recordId, strict } from '../../platform/values/schema.ts';

export const ContactMerge = define(
  'ContactMerge',
  strict({
    contact: recordId('contact', 'The contact to merge into the other one and remove'),
  }),
);
export type ContactMerge = Static<typeof ContactMerge>;

export const MergeParams = Type.Object({ id: recordId('contact') });
