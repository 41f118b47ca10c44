/** Makes what a network sends fit into a record: a text that is too long is cut, and another part that is too large is left out. */
import { countBytes, MAX_CONTENT_BYTES } from '../../platform/values/sizes.ts';
import { clipText } from '../../platform/values/words.ts';
import type { NewInbound } from '../messages/ingest-insert-queries.ts';

/** The parts of a message besides its text, which are JSON, and what stands in the place of one that is left out. */
const PARTS = {
  unsupported: null,
  interactive: null,
  location: null,
  contacts: null,
  email: null,
  referral: null,
  errors: '[]',
} as const;
type Part = keyof typeof PARTS;
/** Without one of these parts the message is UNSUPPORTED, because its contact sent something that is not there. */
const MAIN: readonly Part[] = ['unsupported', 'interactive', 'location', 'contacts'];

/** JSON needs at most six bytes for a character. */
const BYTES_PER_CHARACTER = 6;

export function fitIntoRecord(row: NewInbound): NewInbound {
  const parts = Object.keys(PARTS) as Part[];
  const characters = parts.reduce((sum, part) => sum + (row[part]?.length ?? 0), row.content?.length ?? 0);
  if (characters * BYTES_PER_CHARACTER <= MAX_CONTENT_BYTES) return row;
  let room = MAX_CONTENT_BYTES;
  const left: Part[] = [];
  for (const part of parts) {
    const bytes = Buffer.byteLength(row[part] ?? '');
    if (bytes > room) left.push(part);
    else room -= bytes;
  }
  const fitting = {
    ...row,
    ...Object.fromEntries(left.map((part) => [part, PARTS[part]])),
    content: cutText(row.content, room),
  };
  if (!left.some((part) => MAIN.includes(part))) return fitting;
  const unsupported = JSON.stringify({ kind: row.content_type.toLowerCase(), raw: null });
  return { ...fitting, content_type: 'UNSUPPORTED', unsupported };
}

const CUT = '…';

/** Cuts a text so that it has at most this many bytes in JSON; a text that was cut ends with an ellipsis. */
export function cutText<T extends string | null>(text: T, bytes: number): T | string {
  if (text === null || countBytes(text) <= bytes) return text;
  const most = bytes - Buffer.byteLength(CUT);
  let kept = text.slice(0, most);
  for (let size = countBytes(kept); size > most; size = countBytes(kept))
    kept = kept.slice(0, Math.floor((kept.length * most) / size));
  return `${clipText(kept, kept.length)}${CUT}`;
}
