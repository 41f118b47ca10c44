/** Readers for the texts of a mail, which anybody may have written. */
import { declareLimit } from '../../platform/values/limits.ts';

/** The longest name of a person or a file, and the longest subject, that are stored. */
const MAX_LABEL = declareLimit(256, {
  topic: 'E-mail',
  what: 'Received e-mail: subject',
  unit: 'characters',
  beyond: 'cut',
});

/** Replaces what PostgreSQL does not store: NUL, and halves of surrogate pairs. */
export const toStorableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** A text in one line, without control characters; null when nothing is left of it. */
export function toLabel(text: string | undefined): string | null {
  const line = toStorableText(text ?? '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.slice(0, MAX_LABEL).toWellFormed().trim() || null;
}

/** A text in which each run of blanks and line ends is one space. */
export const foldBlanks = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
