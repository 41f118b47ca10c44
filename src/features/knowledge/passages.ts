/**
 * Splits Markdown into passages: parts that are short enough to be read as an answer, each with the headings above it. A passage never
 * crosses a heading, and no text is lost between two passages.
 */
import { readMarkdown, type Block } from './markdown.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface Passage {
  /** The headings above the text, the outermost first. */
  headings: string[];
  content: string;
}

/** The most characters of a passage: some two hundred words, which answer a question, and of which an agent can read several. */
export const MAX_PASSAGE = declareLimit(1_200, {
  topic: 'Knowledge',
  what: 'Passage: length',
  unit: 'characters',
  beyond: 'split',
});
// A longer heading is cut, because it is repeated with each passage below it; the whole heading is then a passage of its own.
const MAX_HEADING = 120;

interface OpenHeading {
  level: number;
  text: string;
  /** Whether some passage shows the heading. */
  isShown: boolean;
}

export function splitIntoPassages(markdown: string): Passage[] {
  const passages: Passage[] = [];
  const open: OpenHeading[] = [];
  let blocks: Block[] = [];

  const add = (contents: string[]): void => {
    if (contents.length === 0) return;
    for (const heading of open) heading.isShown = true;
    const headings = open.map(({ text }) => text.slice(0, MAX_HEADING));
    passages.push(...contents.map((content) => ({ headings, content })));
  };
  const endSection = (): void => {
    add(packBlocks(blocks));
    blocks = [];
  };
  /** Closes the headings from this level on. One without text below it becomes a passage, because its words stand nowhere else. */
  const closeHeadings = (level: number): void => {
    endSection();
    while ((open.at(-1)?.level ?? 0) >= level) {
      const { text = '', isShown = true } = open.pop() ?? {};
      if (text !== '' && (!isShown || text.length > MAX_HEADING)) add(splitText(text, ''));
    }
  };

  for (const piece of readMarkdown(markdown)) {
    if (piece.kind === 'BLOCK') blocks.push(piece);
    else {
      closeHeadings(piece.level);
      open.push({ level: piece.level, text: piece.text, isShown: false });
    }
  }
  closeHeadings(1);
  return passages;
}

/** Joins short blocks and splits long ones, so that each text is as long as a passage may be. */
function packBlocks(blocks: Block[]): string[] {
  const packed: string[] = [];
  for (const { text, tableHead } of blocks) {
    for (const part of splitText(text, tableHead)) {
      const last = packed.at(-1);
      if (last !== undefined && last.length + 2 + part.length <= MAX_PASSAGE)
        packed[packed.length - 1] = `${last}\n\n${part}`;
      else packed.push(part);
    }
  }
  return packed;
}

/** Splits a text at the ends of lines, sentences or words. Each further part of a table begins with its head. */
function splitText(text: string, tableHead: string): string[] {
  // The head of a table that leaves little room for its rows is not repeated.
  const head = tableHead.length > 0 && tableHead.length < MAX_PASSAGE / 2 ? `${tableHead}\n` : '';
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const lead = at === 0 ? '' : head;
    const end = findCut(text, at, MAX_PASSAGE - lead.length);
    const part = text.slice(at, end).trimEnd();
    if (part.trim() !== '') parts.push(lead + part);
    at = end;
    while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  }
  return parts;
}

/** Where a part ends that begins at `start`: behind the last line, sentence or word that fits, in the second half of the room. */
function findCut(text: string, start: number, room: number): number {
  if (text.length - start <= room) return text.length;
  const window = text.slice(start, start + room);
  const least = room / 2;
  const line = window.lastIndexOf('\n');
  if (line >= least) return start + line + 1;
  let sentence = -1;
  for (const { index } of window.matchAll(/[.!?…](?=\s)/g)) sentence = index + 1;
  if (sentence >= least) return start + sentence;
  const word = window.search(/\s\S*$/);
  if (word >= least) return start + word + 1;
  // A text without spaces is cut anywhere but inside of a character.
  return start + (/[\ud800-\udbff]$/.test(window) ? room - 1 : room);
}
