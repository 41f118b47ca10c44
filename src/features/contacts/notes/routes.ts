import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { ContactParams } from '../schemas.ts';
import { createNote, pageNotes, readNote, removeNote, updateNoteById } from './notes.ts';
import {
  ContactNote,
  ContactNoteCreate,
  ContactNoteList,
  ContactNoteParams,
  ContactNoteQuery,
  ContactNoteUpdate,
} from './schemas.ts';

export function contactNoteRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts/:id/notes',
    scope: 'contacts:update',
    action: 'contacts.create-note',
    summary: 'Write a note about a contact',
    description:
      'The contact never sees it. A note about one conversation is written with POST /v1/messages/note instead.',
    params: ContactParams,
    body: ref(ContactNoteCreate),
    answers: { 201: ref(ContactNote) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => createNote(tenant, params.id, body),
    again: (tenant, id, { params }) => readNote(tenant, params.id, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id/notes',
    scope: 'contacts:read',
    summary: 'List the notes about a contact',
    description: 'Newest first. They include the notes about contacts that were merged into this one.',
    params: ContactParams,
    query: ContactNoteQuery,
    answers: { 200: ContactNoteList },
    handler: (tenant, { params, query }) => pageNotes(tenant, params.id, query),
  });
  recordRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id/notes/:noteId',
    scope: 'contacts:read',
    summary: 'Read a note about a contact',
    description: 'Returns the note with its author. The live stream uses the same format.',
    params: ContactNoteParams,
    answers: { 200: ref(ContactNote) },
    handler: (tenant, { params }) => readNote(tenant, params.id, params.noteId),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/contacts/:id/notes/:noteId',
    scope: 'contacts:update',
    action: 'contacts.update-note',
    summary: 'Change a note about a contact',
    description: 'The author stays the same, and `updatedAt` has the time of the change.',
    params: ContactNoteParams,
    body: ref(ContactNoteUpdate),
    answers: { 200: ref(ContactNote) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateNoteById(tenant, params, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/contacts/:id/notes/:noteId',
    scope: 'contacts:update',
    action: 'contacts.delete-note',
    summary: 'Delete a note about a contact',
    description: 'Returns the deleted note. Everyone who may change the contact may delete it.',
    params: ContactNoteParams,
    answers: { 200: ref(ContactNote) },
    handler: (tenant, { params }) => removeNote(tenant, params.id, params.noteId),
  });
}
