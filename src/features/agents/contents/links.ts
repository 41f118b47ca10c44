/**
 * Gives the server of an EXTERNAL agent links to the files of the conversation, which it can fetch for a while. It gets the text of a PDF as
 * well where the inbox has the text of PDFs read.
 */
import type { FileType } from '../../../platform/work/media/formats.ts';
import { signFile } from '../../attachments/attachments.ts';
import type { NamedAttachment } from '../../messages/files.ts';
import type { Question } from '../answers/answer.ts';
import type { Scene } from '../tools/tool.ts';
import { MOST_FILES } from '../turns/schemas.ts';
import { listSent, MOST_CHARACTERS, readEach } from './contents.ts';
import { readText } from './file.ts';
import { CanNotRead, type Reading } from './reading.ts';

/** A file as the server gets it, in the words of a message. */
export interface LinkedFile {
  message: string | null;
  attachment: string;
  file_type: FileType;
  mimeType: string;
  fileName: string;
  /** Null when the file has not arrived, or never will. */
  size: number | null;
  /** Null when the file will never arrive. */
  url: string | null;
  expires_at: string | null;
  text: string | null;
}

/** By the attachment. A file that is gone has no link. */
export type LinkedFiles = ReadonlyMap<string, LinkedFile>;

export async function linkFiles(
  scene: Scene,
  { question, signal }: { question: Question; signal: AbortSignal },
): Promise<LinkedFiles> {
  const asking = { scene, signal, isTextWanted: question.prefersPdfText };
  const found = await readEach(scene, { files: listSent(question), signal }, (row, place) =>
    readLinked(row, { ...asking, isTextWanted: asking.isTextWanted && place < MOST_FILES }),
  );
  const links = new Map<string, LinkedFile>();
  for (const { file, row, reading } of found) {
    if (!row) continue;
    const { file_type, mime_type: mimeType, file_name: fileName, bytes: size } = row;
    const { url, expires_at } = row.state === 'FAILED' ? { url: null, expires_at: null } : signFile(scene.kit, row);
    const text = reading.text || null;
    links.set(file.attachment, { ...file, file_type, mimeType, fileName, size, url, expires_at, text });
  }
  return links;
}

const LINKED: Reading = { read_as: 'LINK', note: null, text: '', pictures: [] };

async function readLinked(
  row: NamedAttachment,
  { scene, isTextWanted, signal }: { scene: Scene; isTextWanted: boolean; signal: AbortSignal },
): Promise<Reading> {
  if (!isTextWanted || row.extension !== 'pdf') return LINKED;
  return readText(scene, { row, maxCharacters: MOST_CHARACTERS, signal }, 'PDF').catch((error: unknown) => {
    // Failure policy: the server looks at the file itself, as a model looks at the pages of a PDF without text.
    if (!(error instanceof CanNotRead)) throw error;
    return { ...LINKED, note: error.message };
  });
}
