/** Shortens Markdown that was cut off, so that no one reads half a sentence or the first mark of a format without its last one. */
import { endAtSentence } from './sentences.ts';

/** A line that begins a block of code, or ends it when nothing follows the mark. */
const FENCE = /^[ \t]{0,3}(```|~~~)(.*)$/gm;
/** Marks around words. */
const MARK = /\*\*|~~|`/g;
/** Before such a mark, words begin only behind these characters: `2**10` and `it`s` have no format. */
const BEFORE_WORDS = /^$|[\s([{"'“‘«*_~]/;
/** A single mark that begins a format. */
const SINGLE_MARK = /(?<![^\s(["'“‘«])([*_])(?=\p{L})/gu;

interface OpenMark {
  mark: string;
  at: number;
}

/** Returns Markdown up to its last complete sentence; null when it has no complete sentence. */
export function cutMarkdown(markdown: string): string | null {
  const whole = endAtSentence(dropOpenCode(markdown));
  if (whole === null) return null;
  // A sentence may end in a block of code.
  const text = dropOpenCode(whole);
  return text === whole ? closeFormats(text) : cutMarkdown(text);
}

/** Removes a block of code whose end is missing. */
function dropOpenCode(markdown: string): string {
  let open: RegExpExecArray | null = null;
  for (const fence of markdown.matchAll(FENCE)) {
    if (!open) open = fence;
    else if (fence[1] === open[1] && fence[2]?.trim() === '') open = null;
  }
  return open ? markdown.slice(0, open.index) : markdown;
}

/** Ends the formats that the cut leaves open. Only the last paragraph is read, because none goes on behind a paragraph. */
function closeFormats(text: string): string {
  const start = text.lastIndexOf('\n\n') + 1;
  let paragraph = dropOpenBracket(text.slice(start));
  const line = paragraph.lastIndexOf('\n') + 1;
  let closing = '';
  for (const { mark, at } of listOpen(paragraph).toSorted((a, b) => b.at - a.at)) {
    // The lines of a list have no format together.
    if (at < line) paragraph = paragraph.slice(0, at) + paragraph.slice(at + mark.length);
    else closing += mark;
  }
  return text.slice(0, start) + paragraph + closing;
}

/** Removes the bracket of a link whose address is missing. */
function dropOpenBracket(paragraph: string): string {
  const at = paragraph.lastIndexOf('[');
  if (at < 0 || paragraph.includes(']', at)) return paragraph;
  const before = paragraph.slice(0, at);
  return (before.endsWith('!') ? before.slice(0, -1) : before) + paragraph.slice(at + 1);
}

function listOpen(paragraph: string): OpenMark[] {
  const open: OpenMark[] = [];
  for (const { 0: mark, index: at } of paragraph.matchAll(MARK)) {
    const begun = open.findLastIndex((each) => each.mark === mark);
    if (begun >= 0) open.splice(begun, 1);
    else if (BEFORE_WORDS.test(paragraph.slice(Math.max(0, at - 1), at))) open.push({ mark, at });
  }
  const single = [...paragraph.matchAll(SINGLE_MARK)].at(-1);
  const [mark = ''] = single ?? [];
  if (single && !paragraph.includes(mark, single.index + 1)) open.push({ mark, at: single.index });
  return open;
}
