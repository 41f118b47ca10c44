/** Reads a conversation as what an agent is to answer. */
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import type { Question, SentFile } from '../answers/answer.ts';
import { findTurnPlace, listDialog, type AskingPlace, type DialogRow } from './queries.ts';

// The messages that an agent reads.
const DIALOG = declareLimit(30, {
  topic: 'Agents',
  what: 'Conversation: messages read per answer',
  beyond: 'only the last ones',
});

/** Reads what waits for an answer since the message `first`, and what was said before. */
export async function readQuestion(
  read: TenantRead,
  conversation: string,
  { first, place }: { first: string; place: AskingPlace },
): Promise<Question> {
  return makeQuestion(await listDialog(read, conversation, DIALOG), first, place);
}

/**
 * Reads what a person is to answer: what the contact has written since the company wrote last, or else the last message of the contact. Returns
 * null for a conversation that does not exist.
 */
export async function readOpenQuestion(
  read: TenantRead,
  conversation: string,
  most = DIALOG,
): Promise<Question | null> {
  const place = await findTurnPlace(read, conversation);
  if (!place) return null;
  const dialog = await listDialog(read, conversation, most);
  const isIncoming = ({ message_type }: DialogRow): boolean => message_type === 'INCOMING';
  const last = dialog.findLastIndex((row) => !isIncoming(row));
  const first = dialog[last + 1] ?? dialog.findLast(isIncoming);
  return makeQuestion(dialog, first?._id ?? '', place);
}

const makeQuestion = (
  dialog: DialogRow[],
  first: string,
  { contact_name: name, contact_language: language, pdf_text: prefersPdfText }: AskingPlace,
): Question => ({ ...splitDialog(dialog, first), prefersPdfText, contact: { name, language } });

/**
 * Divides the conversation into what the contact asks and what was said before. All messages of the contact since the first that waits are
 * asked, also when the company has written in between.
 */
function splitDialog(dialog: DialogRow[], first: string): Pick<Question, 'before' | 'asked' | 'texts' | 'files'> {
  const begin = Math.max(
    dialog.findIndex(({ _id }) => _id === first),
    0,
  );
  const waits = (row: DialogRow, index: number): boolean => row.message_type === 'INCOMING' && index >= begin;
  const asked = dialog.filter(waits);
  const before = dialog
    .filter((row, index) => !waits(row, index))
    .map((row) => ({
      from: row.message_type === 'INCOMING' ? ('CONTACT' as const) : ('COMPANY' as const),
      text: row.content ?? `[${row.contentType}]`,
      file: findFile(row),
    }));
  const texts = asked.map(({ content }) => content ?? '').filter(Boolean);
  return { before, asked: texts.join('\n'), texts, files: asked.map(findFile).filter((file) => file !== null) };
}

const findFile = ({ _id: message, message_type, attachment }: DialogRow): SentFile | null =>
  message_type === 'INCOMING' && attachment !== null ? { message, attachment } : null;
