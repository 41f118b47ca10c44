import { Type, type Static } from 'typebox';
import { zipAnswer } from '../../platform/http/download.ts';
import { plain, recordId, strict } from '../../platform/values/schema.ts';

export const ContactDataParams = Type.Object({ id: recordId('contact') });

export const ContactDataQuery = strict({
  notes: Type.Optional(plain.flag("true: with the team's notes. By default they are left out")),
});
export type ContactDataQuery = Static<typeof ContactDataQuery>;

export const CONTACT_DATA_ANSWER = zipAnswer(
  'Records as JSON, as the API returns them; each conversation has a folder with its messages, a transcript and the files',
);
