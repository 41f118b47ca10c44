/** Notes about a contact, which only the company sees. They go with the contact: a merge moves them, and an erasure deletes them. */
import { lockLimit } from '../../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { toNamedActor } from '../../../platform/values/actor.ts';
import { expectFound, invalid, notFound } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { readContact } from '../contacts.ts';
import { keepContactsFromRemoval } from '../queries.ts';
import { countNotes, deleteNote, findNote, findNotes, insertNote, listNotes, lockNote, updateNote } from './queries.ts';
import {
  MAX_NOTES,
  type ContactNote,
  type ContactNoteCreate,
  type ContactNoteQuery,
  type ContactNoteUpdate,
} from './schemas.ts';

export function createNote(tenant: Tenant, contact: string, { content }: ContactNoteCreate): Promise<ContactNote> {
  return tenant.tx(async (tx) => {
    if ((await keepContactsFromRemoval(tx, [contact])) === 0) throw notFound();
    await lockLimit(tx, `contact-notes:${contact}`);
    if ((await countNotes(tx, contact)) >= MAX_NOTES)
      throw invalid('content', `is one note too many: the contact has ${MAX_NOTES} already`, 'LIMIT_REACHED');
    const note = await insertNote(tx, { _id: newId(), contact, content }, expectFound(toNamedActor(tenant.actor)));
    tx.created(note._id);
    return note;
  });
}

export async function readNote(tenant: Tenant, contact: string, id: string): Promise<ContactNote> {
  return expectFound(await findNote(tenant.read, contact, id));
}

/** Reads notes by their ids. Those that do not exist are left out. */
export const readNotes = (read: TenantRead, ids: string[]): Promise<ContactNote[]> => findNotes(read, ids);

export async function pageNotes(tenant: Tenant, contact: string, query: ContactNoteQuery): Promise<Page<ContactNote>> {
  const page = await listNotes(tenant.read, contact, pageWindow(`contact-notes:${contact}`, query));
  if (page.result.length === 0) await readContact(tenant, contact);
  return page;
}

export function updateNoteById(
  tenant: Tenant,
  { id, noteId }: { id: string; noteId: string },
  { content }: ContactNoteUpdate,
): Promise<ContactNote> {
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockNote(tx, id, noteId));
    return content === undefined || content === before.content ? before : updateNote(tx, noteId, content);
  });
}

export function removeNote(tenant: Tenant, contact: string, id: string): Promise<ContactNote> {
  return tenant.tx(async (tx) => {
    const note = expectFound(await lockNote(tx, contact, id));
    await deleteNote(tx, id);
    return note;
  });
}
