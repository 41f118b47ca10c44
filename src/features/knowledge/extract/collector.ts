/** Collects the text of a file as Markdown, up to a limit. */
import { fileFault } from '../../../platform/work/file-fault.ts';

export interface TextCollector {
  /** Adds a block, such as a paragraph or a heading. */
  add(block: string): void;
  /** Adds a line to the block before it, such as the row of a table. */
  addLine(line: string): void;
  /** Adds text right behind what was added before. */
  addText(text: string): void;
  /** Returns everything that was added. */
  read(): string;
}

/** As a collector, but it keeps the beginning of a text that is too long. */
export interface CuttingCollector extends TextCollector {
  /** True once something was left out. */
  isCut(): boolean;
}

export function createCuttingCollector(maxCharacters: number): CuttingCollector {
  const parts: string[] = [];
  let room = maxCharacters;
  let isCut = false;
  const push = (part: string): void => {
    isCut ||= part.length > room;
    const kept = part.slice(0, room);
    room -= kept.length;
    if (kept !== '') parts.push(kept);
  };
  return { ...collectInto(push), read: () => parts.join('').toWellFormed().trim(), isCut: () => isCut };
}

const collectInto = (push: (part: string) => void): Omit<TextCollector, 'read'> => ({
  add: (block) => push(`\n\n${block}`),
  addLine: (line) => push(`\n${line}`),
  addText: push,
});

export function createCollector(maxCharacters: number): TextCollector {
  const parts: string[] = [];
  let characters = 0;
  const push = (part: string): void => {
    characters += part.length;
    if (characters > maxCharacters) throw fileFault(`has more than ${maxCharacters} characters of text`, 'TOO_LONG');
    parts.push(part);
  };
  return { ...collectInto(push), read: () => parts.join('').trim() };
}
