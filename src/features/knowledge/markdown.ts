/**
 * Reads Markdown line by line into headings and blocks. A parser of the whole language is not used, because its time can grow with the
 * square of a hostile text; here every line is looked at once.
 */

export interface Heading {
  kind: 'HEADING';
  /** From 1, the outermost. */
  level: number;
  text: string;
}

/** Lines that belong together: a paragraph, a list, a table, or code between two fences. */
export interface Block {
  kind: 'BLOCK';
  text: string;
  /** The first two lines of a table, which name its columns; empty for any other block. */
  tableHead: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const TABLE_ROW = /^[ \t]*\|/;
const TABLE_RULE = /^[ \t|:-]+$/;

export function* readMarkdown(markdown: string): Generator<Heading | Block> {
  let lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence !== null) {
      lines.push(line);
      // A fence is closed by a line with nothing but the same mark, at least as long.
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
      continue;
    }
    const heading = readHeading(line, lines);
    if (heading) {
      if (!heading.isUnderline) yield* makeBlock(lines);
      lines = [];
      yield { kind: 'HEADING', level: heading.level, text: heading.text.trim() };
    } else if (line.trim() === '') {
      yield* makeBlock(lines);
      lines = [];
    } else {
      lines.push(line);
      fence = mark;
    }
  }
  yield* makeBlock(lines);
}

/** Reads a line as a heading, or as the underline that makes the only line before it a heading. */
function readHeading(line: string, before: string[]): (Omit<Heading, 'kind'> & { isUnderline: boolean }) | null {
  const [, marks, text = ''] = HEADING.exec(line) ?? [];
  if (marks) return { level: marks.length, text: withoutClosingMarks(text), isUnderline: false };
  const [only = ''] = before;
  if (before.length !== 1 || TABLE_ROW.test(only)) return null;
  const underline = UNDERLINE.exec(line)?.[1];
  return underline ? { level: underline.startsWith('=') ? 1 : 2, text: only, isUnderline: true } : null;
}

/** Removes the marks that may close a heading: `## Prices ##`. */
function withoutClosingMarks(text: string): string {
  const trimmed = text.trimEnd();
  let end = trimmed.length;
  while (trimmed[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(trimmed[end - 1] ?? '') ? trimmed.slice(0, end) : trimmed;
}

function makeBlock(lines: string[]): Block[] {
  if (lines.length === 0) return [];
  const [first = '', second = ''] = lines;
  const isTable = TABLE_ROW.test(first) && TABLE_RULE.test(second) && second.includes('-');
  return [{ kind: 'BLOCK', text: lines.join('\n').trimEnd(), tableHead: isTable ? `${first}\n${second}` : '' }];
}
