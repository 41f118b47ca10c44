import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../../platform/store/paging.ts';
import { NAMED_ACTORS } from '../../../platform/values/actor.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { NOT_BLANK, Timestamp, define, oneOf, plain, recordId, ref, strict } from '../../../platform/values/schema.ts';

const MAX_NOTE = declareLimit(10_000, {
  topic: 'Contacts',
  what: 'Characters of a note about a contact',
  beyond: '400',
});

export const MAX_NOTES = declareLimit(1_000, { topic: 'Contacts', what: 'Notes per contact', beyond: '400' });

export const ContactNote = define(
  'ContactNote',
  Type.Object({
    _id: recordId('contact-note'),
    company: recordId('company'),
    contact: recordId('contact'),
    content: plain.text('The text of the note'),
    author: plain.object('Who wrote the note', {
      type: oneOf(NAMED_ACTORS, 'The kind of author: a user or a key'),
      _id: recordId(['user', 'api-key', 'agent', 'campaign', 'follow-up']),
      name: plain.text('Its name at that time'),
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type ContactNote = Static<typeof ContactNote>;

const content = Type.String({
  minLength: 1,
  maxLength: MAX_NOTE,
  ...NOT_BLANK,
  description: 'The text of the note. Only your team sees it',
});

export const ContactNoteCreate = define('ContactNoteCreate', strict({ content }));
export type ContactNoteCreate = Static<typeof ContactNoteCreate>;

export const ContactNoteUpdate = define('ContactNoteUpdate', strict({ content: Type.Optional(content) }));
export type ContactNoteUpdate = Static<typeof ContactNoteUpdate>;

export const ContactNoteParams = Type.Object({ id: recordId('contact'), noteId: recordId('contact-note') });

export const ContactNoteList = pageSchema(ref(ContactNote));
export const ContactNoteQuery = pageQuery('-createdAt', {});
export type ContactNoteQuery = Static<typeof ContactNoteQuery>;
