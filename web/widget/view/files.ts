import { writeBytes } from '../../browser/formats.ts';
import { post } from '../chat/outbox.ts';
import { getLanguage } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';

/** As many files as one look at them allows. */
const MOST_FILES = 10;

/** Sends each file as a message of its own. Returns what the visitor has to know of a file that is too large; else null. */
export function postFiles(files: readonly File[], mostBytes: number): string | null {
  const language = getLanguage();
  let notice: string | null = null;
  for (const file of files.slice(0, MOST_FILES)) {
    if (file.size <= mostBytes) post({ file });
    else notice = TEXTS[language].fileTooLarge(file.name, writeBytes(language, mostBytes));
  }
  return notice;
}
