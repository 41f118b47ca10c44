import { exec, many, maybeOne, one, oneValue } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { NamedActor } from '../../../platform/values/actor.ts';
import type { ContactNote } from './schemas.ts';

const COLUMNS = `_id, company_id as company, contact_id as contact, content,
  json_build_object('type', author_type, '_id', author_id, 'name', author_name) as author,
  created_at as "createdAt", updated_at as "updatedAt"`;

export function findNote(tx: TenantRead, contact: string, id: string): Promise<ContactNote | null> {
  return maybeOne(tx, {
    name: 'contacts.notes.find',
    text: `select ${COLUMNS} from contact_notes where company_id = $1 and contact_id = $2 and _id = $3`,
    values: [tx.companyId, contact, id],
  });
}

export function findNotes(tx: TenantRead, ids: string[]): Promise<ContactNote[]> {
  return many(tx, {
    name: 'contacts.notes.findMany',
    text: `select ${COLUMNS} from contact_notes where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export function lockNote(tx: TenantTx, contact: string, id: string): Promise<ContactNote | null> {
  return maybeOne(tx, {
    name: 'contacts.notes.lock',
    text: `select ${COLUMNS} from contact_notes where company_id = $1 and contact_id = $2 and _id = $3 for no key update`,
    values: [tx.companyId, contact, id],
  });
}

export function countNotes(tx: TenantTx, contact: string): Promise<number> {
  return oneValue(tx, {
    name: 'contacts.notes.countAll',
    text: 'select count(*)::int as count from contact_notes where company_id = $1 and contact_id = $2',
    values: [tx.companyId, contact],
  });
}

export function insertNote(
  tx: TenantTx,
  { _id, contact, content }: Pick<ContactNote, '_id' | 'contact' | 'content'>,
  author: NamedActor,
): Promise<ContactNote> {
  return one(tx, {
    name: 'contacts.notes.insert',
    text: `insert into contact_notes (company_id, _id, contact_id, content, author_type, author_id, author_name)
      values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    values: [tx.companyId, _id, contact, content, author.type, author.id, author.name],
  });
}

export function updateNote(tx: TenantTx, id: string, content: string): Promise<ContactNote> {
  return one(tx, {
    name: 'contacts.notes.update',
    text: `update contact_notes set content = $3, updated_at = now() where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, content],
  });
}

export function deleteNote(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'contacts.notes.delete',
    text: 'delete from contact_notes where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Moves the notes about a contact to the contact into which it is merged. */
export function moveNotes(tx: TenantTx, from: string, to: string): Promise<number> {
  return exec(tx, {
    name: 'contacts.notes.move',
    text: 'update contact_notes set contact_id = $3, updated_at = now() where company_id = $1 and contact_id = $2',
    values: [tx.companyId, from, to],
  });
}

export function listNotes(tx: TenantRead, contact: string, window: Window): Promise<Page<ContactNote>> {
  return listPage(tx, window, {
    name: 'contacts',
    variant: '.notes',
    columns: COLUMNS,
    from: 'contact_notes',
    filter: 'company_id = $1 and contact_id = $2',
    values: [tx.companyId, contact],
  });
}
