/** Writes everything that is stored about a contact as one ZIP, for a person who asks for their data. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { sendZip, type ZipEntry } from '../../platform/http/download.ts';
import { walkPages, type Page, type WalkedWindow } from '../../platform/store/paging.ts';
import { AppError } from '../../platform/values/errors.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { findAttachment, openAttachment } from '../attachments/attachments.ts';
import { dropFolders } from '../attachments/file-names.ts';
import { pageFollowUps } from '../agents/follow-ups/follow-ups.ts';
import { pageTurns } from '../agents/turns/turns.ts';
import { pageEnrollments } from '../campaigns/enrollments/enrollments.ts';
import { readContact } from '../contacts/contacts.ts';
import { pageNotes } from '../contacts/notes/notes.ts';
import type { Contact } from '../contacts/schemas.ts';
import { pageConversations } from '../conversations/list.ts';
import type { Conversation } from '../conversations/schemas.ts';
import { pageSurveys } from '../csat/csat.ts';
import { pageMessages } from '../messages/messages.ts';
import type { Message } from '../messages/schemas.ts';
import { readForm, writeTranscript, type TranscriptForm } from '../messages/transcript/transcript.ts';
import { pageScheduled } from '../scheduled-messages/scheduled-messages.ts';
import { pageRowsOfContact } from '../tables/rows/of-contact.ts';
import type { ContactDataQuery } from './schemas.ts';

// A message has at most some 100 kB of text, so that a page fits into memory in any case.
const PAGE = 100;
const OLDEST_FIRST = { sort: 'createdAt' } as const;

interface Asked {
  kit: Kit;
  /** Reads in turns with the other long answers of the company. */
  tenant: Tenant;
  contact: Contact;
  form: TranscriptForm;
  changedAt: Date;
}

/** Sends what the caller may see of the contact. Throws NOT_FOUND, and RATE_LIMITED for a third export at once. */
export async function sendContactData(
  kit: Kit,
  tenant: Tenant,
  id: string,
  { query, reply }: { query: ContactDataQuery; reply: FastifyReply },
): Promise<Readable> {
  const contact = await readContact(tenant, id);
  const form = await readForm(tenant, { format: 'HTML', ...query });
  await kit.admitExport(tenant.companyId, reply);
  const asked = { kit, tenant: { ...tenant, read: tenant.walk }, contact, form, changedAt: new Date() };
  return sendZip(reply, `contact-${id}.zip`, listFiles(asked));
}

async function* listFiles(asked: Asked): AsyncGenerator<ZipEntry> {
  const { tenant, contact, form, changedAt } = asked;
  const { _id: id } = contact;
  const lists = [
    { name: 'contact.json', pages: [[contact]] },
    ...(form.withNotes ? [{ name: 'notes.json', pages: walk((at) => pageNotes(tenant, id, at)) }] : []),
    {
      name: 'table-rows.json',
      pages: walk((at) => pageRowsOfContact(tenant, id, at)),
    },
    {
      name: 'campaigns.json',
      pages: walk((at) => pageEnrollments(tenant, { ...at, contact: id })),
    },
    { name: 'conversations.json', pages: walkConversations(asked) },
  ];
  for (const { name, pages } of lists) yield makeEntry(name, changedAt, writeJson(pages));
  for await (const page of walkConversations(asked)) {
    for (const conversation of page) yield* listConversationFiles(asked, conversation);
  }
}

const makeEntry = (name: string, changedAt: Date, content: AsyncGenerator<string>): ZipEntry => ({
  name,
  changedAt,
  content,
  compress: true,
});

/** Without notes, a conversation does not show one as its last message, either. */
async function* walkConversations({ tenant, contact, form }: Asked): AsyncGenerator<Conversation[]> {
  const pages = walk((at) => pageConversations(tenant, { ...at, contact: contact._id }));
  const hides = (last: Conversation['last_message']): boolean => !form.withNotes && last?.message_type === 'NOTE';
  for await (const page of pages) {
    yield page.map((each) => (hides(each.last_message) ? { ...each, last_message: null } : each));
  }
}

/** The records are read again for each file, so that a long conversation is never in memory as a whole. */
async function* listConversationFiles(asked: Asked, conversation: Conversation): AsyncGenerator<ZipEntry> {
  const { tenant, form } = asked;
  const { _id: id, createdAt, updatedAt } = conversation;
  const changedAt = new Date(updatedAt);
  const folder = `conversations/${createdAt.slice(0, 10)}-${id}`;
  const files = new Set<string>();
  const lists = {
    'messages.json': noteFiles(files, walkMessages(asked, id), ({ attachment }) => attachment),
    'scheduled-messages.json': noteFiles(
      files,
      walk((at) => pageScheduled(tenant, { ...at, conversation: id })),
      ({ message }) => message.attachment,
    ),
    'follow-ups.json': walk((at) => pageFollowUps(tenant, { ...at, conversation: id })),
    'agent-turns.json': walk((at) => pageTurns(tenant, { ...at, conversation: id })),
    'surveys.json': walk((at) => pageSurveys(tenant, { ...at, conversation: id })),
  };
  for (const [name, pages] of Object.entries(lists)) yield makeEntry(`${folder}/${name}`, changedAt, writeJson(pages));
  yield makeEntry(`${folder}/transcript.html`, changedAt, writeTranscript(tenant, conversation, form));
  for (const file of files) yield* openFile(asked, file, `${folder}/files`);
}

async function* walkMessages({ tenant, form }: Asked, conversation: string): AsyncGenerator<Message[]> {
  for await (const page of walk((at) => pageMessages(tenant, conversation, at)))
    yield page.filter(({ message_type: type }) => form.withNotes || type !== 'NOTE');
}

/** Adds the files of the records to `files`. */
async function* noteFiles<R>(
  files: Set<string>,
  pages: AsyncGenerator<R[]>,
  findFile: (record: R) => string | null,
): AsyncGenerator<R[]> {
  for await (const page of pages) {
    for (const file of page.map(findFile)) if (file !== null) files.add(file);
    yield page;
  }
}

/** Opens a file when its turn comes. One that has not been fetched or is gone is left out; its message says why. */
async function* openFile({ kit, tenant }: Asked, id: string, folder: string): AsyncGenerator<ZipEntry> {
  const row = await findAttachment(tenant.read, id);
  const opened = row && (await openAttachment(kit, row));
  if (!row || !opened) return;
  try {
    yield {
      name: `${folder}/${id}-${dropFolders(opened.fileName)}`,
      changedAt: new Date(row.createdAt),
      content: opened.body,
      compress: false,
    };
  } finally {
    opened.body.destroy();
  }
}

/** Walks a list, the oldest record first. What is removed while the answer is written is left out of it. */
async function* walk<R>(read: (at: WalkedWindow & typeof OLDEST_FIRST) => Promise<Page<R>>): AsyncGenerator<R[]> {
  try {
    yield* walkPages(PAGE, (at) => read({ ...at, ...OLDEST_FIRST }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'UNKNOWN_REFERENCE');

/** Writes the records of all pages as one array, a record per line. */
async function* writeJson(pages: AsyncIterable<object[]> | Iterable<object[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pages) {
    for (const record of page) {
      yield before + JSON.stringify(record);
      before = ',\n';
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
