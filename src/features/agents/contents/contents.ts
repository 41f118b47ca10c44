/**
 * Reads the files that a contact has sent, so that the model of an agent can answer them. Child processes open the files, with limits on
 * time, memory, pages and characters. What cannot be read leaves a note, and never stops the answer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatEndpoint, Picture } from '../../../ai/chat.ts';
import { EndpointError } from '../../../ai/endpoint.ts';
import { expectAttachment } from '../../attachments/attachments.ts';
import type { NamedAttachment } from '../../messages/files.ts';
import type { Question, SentFile } from '../answers/answer.ts';
import type { Scene } from '../tools/tool.ts';
import { MOST_FILES, type ReadFile } from '../turns/schemas.ts';
import { readFileContent } from './file.ts';
import { CanNotRead, readNothing, type Reading } from './reading.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// How much of the newest files of the conversation an agent gets.
export const MOST_CHARACTERS = declareLimit(40_000, {
  topic: 'Agents',
  what: 'Files: text per answer',
  unit: 'characters',
  beyond: 'cut',
});
const MOST_PICTURES = declareLimit(6, {
  topic: 'Agents',
  what: 'Files: pictures per answer',
  beyond: 'the others are left out',
});
// As base64. Many answers are worked on at once, and each holds its pictures.
const MOST_PICTURE_BYTES = declareLimit(2 * 1024 * 1024, {
  topic: 'Agents',
  what: 'Files: pictures per answer, as base64',
  unit: 'bytes',
  beyond: 'the others are left out',
});
// A file arrives some seconds after its message, or not at all for a long time.
const ARRIVAL_MS = declareLimit(8_000, {
  topic: 'Agents',
  what: 'Files: wait for one that is still downloading',
  unit: 'ms',
  beyond: 'answered without the file',
});
const ARRIVAL_LOOK_MS = 250;

/** What the model gets of the files, by their attachment. */
export type Contents = ReadonlyMap<string, Content>;

export interface Content {
  name: string;
  text: string;
  pictures: Picture[];
  /** What is said in a voice note is what the contact says. */
  isSpoken: boolean;
}

interface Asking {
  question: Question;
  signal: AbortSignal;
}

/** Returns what stands in the files, and the question with what is said in voice notes. */
export async function readContents(
  scene: Scene,
  endpoint: ChatEndpoint,
  { question, signal }: Asking,
): Promise<{ question: Question; contents: Contents }> {
  const { prefersPdfText } = question;
  const asking = { prefersPdfText, maxCharacters: MOST_CHARACTERS, signal };
  const read = await readEach(scene, { files: listSent(question).slice(0, MOST_FILES), signal }, (row) =>
    readFileContent(scene, endpoint, { row, ...asking }),
  );
  const contents = new Map<string, Content>();
  for (const { file, row, reading } of read)
    contents.set(file.attachment, {
      name: row?.file_name ?? '',
      ...reading,
      isSpoken: reading.read_as === 'TRANSCRIPT',
    });
  const spoken = question.files.flatMap(({ attachment }) => {
    const content = contents.get(attachment);
    return content?.isSpoken ? [content.text] : [];
  });
  return { question: { ...question, asked: [question.asked, ...spoken].filter(Boolean).join('\n') }, contents };
}

/** The files of the conversation, the newest first. */
export const listSent = ({ before, files }: Question): SentFile[] =>
  [...before.map(({ file }) => file).filter((file) => file !== null), ...files].toReversed();

/** A file with what the agent gets of it. */
interface FoundFile {
  file: SentFile;
  /** Null when the attachment is gone. */
  row: NamedAttachment | null;
  reading: Reading;
}

/**
 * Reads the files at once, notes what was read, and cuts what is more than a turn reads; the first files get most. Only the first ones are
 * waited for.
 */
export async function readEach(
  scene: Scene,
  { files, signal }: { files: SentFile[]; signal: AbortSignal },
  read: (row: NamedAttachment, place: number) => Promise<Reading>,
): Promise<FoundFile[]> {
  const found = await Promise.all(
    files.map((file, place) =>
      readOne(scene, { file, waitMs: place < MOST_FILES ? ARRIVAL_MS : 0, signal }, (row) => read(row, place)),
    ),
  );
  const left = { characters: MOST_CHARACTERS, pictures: MOST_PICTURES, pictureBytes: MOST_PICTURE_BYTES };
  return found.map(({ reading, ...each }) => {
    const limited = limit(reading, left);
    scene.notes.files.push(describe(each.file, each.row?.file_name ?? '', limited));
    return { ...each, reading: limited };
  });
}

async function readOne(
  scene: Scene,
  { file, ...waiting }: { file: SentFile; waitMs: number; signal: AbortSignal },
  read: (row: NamedAttachment) => Promise<Reading>,
): Promise<FoundFile> {
  let row: NamedAttachment | null = null;
  try {
    row = await waitForFile(scene, file, waiting);
    if (row.state !== 'READY') throw new CanNotRead('the file has not arrived');
    return { file, row, reading: await read(row) };
  } catch (error) {
    // Failure policy: the model reads that there is a file which it cannot read, and the log says why. The end of the turn's time ends it all.
    if (waiting.signal.aborted) throw new EndpointError('The time of the turn is over.');
    if (error instanceof CanNotRead) return { file, row, reading: readNothing(error.message) };
    scene.kit.log.warn({ err: error, attachment: file.attachment }, 'agents: a file of a contact cannot be read');
    return { file, row, reading: readNothing('the file cannot be read now') };
  }
}

/** Waits a moment for a file that is still on its way. */
async function waitForFile(
  { acting }: Scene,
  file: SentFile,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<NamedAttachment> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const row = await expectAttachment(acting.read, file.attachment, 'file');
    if (row.state !== 'PENDING' || performance.now() > deadline) return row;
    await pause(ARRIVAL_LOOK_MS, undefined, { signal });
  }
}

/** Cuts what is more than is left for the turn, and takes off what is used. */
function limit(reading: Reading, left: { characters: number; pictures: number; pictureBytes: number }): Reading {
  const text = reading.text.slice(0, left.characters).toWellFormed();
  left.characters -= text.length;
  const pictures: Picture[] = [];
  for (const picture of reading.pictures.slice(0, left.pictures)) {
    if (picture.base64.length > left.pictureBytes) break;
    pictures.push(picture);
    left.pictureBytes -= picture.base64.length;
  }
  left.pictures -= pictures.length;
  const isCut = text.length < reading.text.length || pictures.length < reading.pictures.length;
  return { ...reading, text, pictures, note: isCut ? 'only the beginning was read' : reading.note };
}

const describe = ({ message }: SentFile, name: string, { read_as, note, text, pictures }: Reading): ReadFile => ({
  message,
  name,
  read_as,
  characters: text.length,
  pictures: pictures.length,
  note,
});
