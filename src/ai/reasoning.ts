/**
 * Removes what a model has thought from what it says. Some models write their reasoning into the answer, between tags such as `<think>` and
 * `</think>`. The rule:
 *
 * - A tag in code is something that the answer is about, and stays: a tag between two backticks that touch it, or one in a block of code.
 * - The text between two tags is reasoning. In reasoning, code hides no tag.
 * - A closing tag without an opening one ends reasoning whose beginning the server has removed: all text before it is reasoning. This holds
 *   in a block of code as well, if the tag stands alone on its line and none was opened in the block.
 * - An opening tag that is never closed begins reasoning that was cut off, if the reply was cut, or if the tag begins a line or follows the
 *   end of a sentence. Inside of a sentence of a whole reply it is a word, and stays.
 * - What templates of models write between messages, such as `<|im_end|>`, is removed.
 */
import { PARTS, readPart, type Part } from './reasoning-marks.ts';

const SENTENCE_END = /(?:^|[\n.!?…:,>*_)"»]|\p{Extended_Pictographic}\u{FE0F}?)[ \t]*$/u;
// A tag that follows more blanks than this counts as the beginning of a line.
const MOST_BLANKS = 20;
/** Some models write their answer between two tags, after the reasoning. */
const ANSWER = /^<answer>|<\/answer>$/gi;

interface Split {
  /** The text without reasoning. Nothing may be left. */
  said: string;
  /** Whether reasoning ended that no tag had begun. */
  isHeadless: boolean;
  /** Whether any reasoning ended. */
  isClosed: boolean;
}

/** Returns the text without reasoning. Nothing may be left. */
export const stripReasoning = (text: string): string => splitReasoning(text, { isCut: false }).said;

/** `isCut`: the model has not written all of it. */
export function splitReasoning(text: string, { isCut }: { isCut: boolean }): Split {
  const scan = new Scan(text);
  const parts = new RegExp(PARTS);
  for (let found = parts.exec(text); found; found = parts.exec(text)) {
    const part = readPart(found);
    if (part.kind === 'fence' || part.kind === 'code') {
      // Reasoning has backticks as well.
      if (scan.opened) parts.lastIndex = part.index + 1;
      else if (part.kind === 'fence') scan.enterCode(part);
    } else scan.read(part);
  }
  const { isHeadless, isClosed } = scan;
  return { said: scan.finish(isCut).trim().replaceAll(ANSWER, '').trim(), isHeadless, isClosed };
}

/** Where the reading of a text is. */
class Scan {
  /** The opening tag of the reasoning that is read; null outside of reasoning. */
  opened: Part | null = null;
  isHeadless = false;
  isClosed = false;
  readonly #text: string;
  #said = '';
  /** What is not decided yet begins here. */
  #from = 0;
  /** Where the block of code ends that is read, and whether a tag was opened in it. */
  #codeEnd = 0;
  #isOpenedInCode = false;
  /** The next line that closes a block of code, by its mark. Each is looked for once, so the work grows with the length of the text alone. */
  readonly #nextEnds = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** A block of code that is never closed hides nothing. */
  enterCode({ index, end, mark }: Part): void {
    if (index < this.#codeEnd) return;
    let next = this.#nextEnds.get(mark) ?? 0;
    if (next < end) {
      const closing = new RegExp(`^[ \\t]{0,20}${mark}+[ \\t]{0,20}$`, 'gm');
      closing.lastIndex = end;
      next = closing.exec(this.#text) ? closing.lastIndex : Infinity;
      this.#nextEnds.set(mark, next);
    }
    if (next === Infinity) return;
    this.#codeEnd = next;
    this.#isOpenedInCode = false;
  }

  read(part: Part): void {
    const { kind, index, end } = part;
    if (!this.opened && index < this.#codeEnd) {
      if (kind === 'open') this.#isOpenedInCode = true;
      if (kind !== 'close' || this.#isOpenedInCode || !this.#isAlone(part)) return;
      this.#codeEnd = 0;
    }
    if (kind === 'open') this.opened ??= part;
    else if (kind === 'final') this.#drop(end);
    else if (kind === 'close' && this.opened) this.#close(end);
    else if (kind === 'close') {
      this.isHeadless = true;
      this.#drop(end);
    } else if (kind === 'end' && this.opened?.pair === part.pair) this.#close(end);
    else if (!this.opened) {
      this.#said += this.#text.slice(this.#from, index);
      this.#from = end;
    }
  }

  finish(isCut: boolean): string {
    if (!this.opened) return this.#said + this.#text.slice(this.#from);
    const { index } = this.opened;
    const before = this.#text.slice(Math.max(this.#from, index - MOST_BLANKS), index);
    const isReasoning = isCut || this.opened.isAlways || SENTENCE_END.test(before);
    return this.#said + this.#text.slice(this.#from, isReasoning ? index : undefined);
  }

  /** All text until here is reasoning. */
  #drop(end: number): void {
    this.#said = '';
    this.#from = end;
    this.opened = null;
    this.isClosed = true;
  }

  #close(end: number): void {
    this.#said += this.#text.slice(this.#from, this.opened?.index);
    this.#from = end;
    this.opened = null;
    this.isClosed = true;
  }

  #isAlone({ index, end }: Part): boolean {
    return this.#text[index - 1] === '\n' && (end === this.#text.length || /[\r\n]/.test(this.#text[end] ?? ''));
  }
}
