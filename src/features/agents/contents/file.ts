/** Reads one file of a contact in the way that its format and the agent allow. */
import type { ChatEndpoint } from '../../../ai/chat.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { findTextFormat, FORMATS, type TextFormat } from '../../../platform/work/media/formats.ts';
import { viewPicture } from '../../../platform/work/media/viewer.ts';
import { withFile } from '../../attachments/read-file.ts';
import type { NamedAttachment } from '../../messages/files.ts';
import { drawPages, extractText } from '../../knowledge/extract/extractor.ts';
import type { Scene } from '../tools/tool.ts';
import { findFileText, insertFileText, type FileText } from './queries.ts';
import { CanNotRead, type Reading } from './reading.ts';
import { hearVoice } from './voice.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MOST_PAGES = declareLimit(4, {
  topic: 'Agents',
  what: 'Files: pages of a PDF as pictures',
  beyond: 'only the first ones',
});
const PICTURES: ReadonlySet<string> = new Set(
  [FORMATS.JPG, FORMATS.PNG, FORMATS.GIF, FORMATS.WEBP].map(({ extension }) => extension),
);

interface TextAsked {
  row: NamedAttachment;
  maxCharacters: number;
  signal: AbortSignal;
}

interface FileAsked extends TextAsked {
  prefersPdfText: boolean;
}

/** Throws CanNotRead with the reason when nothing of the file can be read. */
export async function readFileContent(scene: Scene, endpoint: ChatEndpoint, asked: FileAsked): Promise<Reading> {
  const { row, prefersPdfText } = asked;
  const { vision } = scene.agent;
  if (row.file_type === 'AUDIO') {
    const text = await hearVoice(scene, endpoint, asked);
    return { read_as: 'TRANSCRIPT', note: text === '' ? 'it contains no speech' : null, text, pictures: [] };
  }
  if (PICTURES.has(row.extension)) {
    if (!vision) throw new CanNotRead('the model of the agent has no vision');
    return readPicture(scene, asked);
  }
  const format = findTextFormat(row.extension);
  if (format === null) throw new CanNotRead('files of this kind are not read');
  if (format !== 'PDF' || !vision) return readText(scene, asked, format);
  if (!prefersPdfText) return readPages(scene, asked);
  return readText(scene, asked, format).catch((error: unknown) => {
    // Failure policy: the pages of a scanner have no text, but the model can look at them.
    if (!(error instanceof CanNotRead)) throw error;
    return readPages(scene, asked);
  });
}

/** Throws CanNotRead with the reason when the file has no text. */
export async function readText({ kit, acting }: Scene, asked: TextAsked, format: TextFormat): Promise<Reading> {
  const { row } = asked;
  const { content: text, is_cut } =
    (await findFileText(acting.read, { attachment: row._id, model: null })) ??
    (await extractOnce({ kit, acting }, asked, format));
  if (text === '') throw new CanNotRead('the file has no text');
  return { read_as: 'TEXT', note: is_cut ? 'only the beginning was read' : null, text, pictures: [] };
}

/** Reads the text of a file and keeps it, also that there is none. */
async function extractOnce(
  { kit, acting }: Pick<Scene, 'kit' | 'acting'>,
  { row, maxCharacters, signal }: TextAsked,
  format: TextFormat,
): Promise<FileText> {
  const { text, isCut } = await withFile(kit, row, (reading) =>
    extractText(kit.readers, { ...reading, signal }, { format, maxCharacters }),
  ).catch((error: unknown) => (hasNoText(error) ? { text: '', isCut: false } : explain(error)));
  const found = { content: text.replaceAll('\0', ''), is_cut: isCut };
  await acting.tx((tx) => insertFileText(tx, { attachment: row._id, model: null, ...found }));
  return found;
}

const hasNoText = (error: unknown): boolean => error instanceof AppError && error.errors[0]?.code === 'NO_TEXT';

async function readPicture({ kit }: Scene, { row, signal }: FileAsked): Promise<Reading> {
  const picture = await withFile(kit, row, (reading) => viewPicture(kit.readers, { ...reading, signal })).catch(
    explain,
  );
  return { read_as: 'PICTURES', note: null, text: '', pictures: [encode(picture)] };
}

async function readPages({ kit }: Scene, { row, signal }: FileAsked): Promise<Reading> {
  const { drawn, pages } = await withFile(kit, row, (reading) =>
    drawPages(kit.readers, { ...reading, signal }, MOST_PAGES),
  ).catch(explain);
  const note = pages > drawn.length ? `${drawn.length} of ${pages} pages were read` : null;
  return { read_as: 'PICTURES', note, text: '', pictures: drawn.map(encode) };
}

const encode = (picture: Uint8Array) => ({ base64: Buffer.from(picture).toString('base64') });

/** Turns what is wrong with the file into the reason why it is not read; other errors are thrown on. */
function explain(error: unknown): never {
  const [fault] = error instanceof AppError && error.code === 'VALIDATION_FAILED' ? error.errors : [];
  throw fault ? new CanNotRead(`the file ${fault.message}`) : error;
}
