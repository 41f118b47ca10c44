/** Reads the text of a Word document (DOCX) as Markdown, with its headings, lists and tables. This runs in child processes. */
import type { ByteSource } from '../../../platform/store/byte-source.ts';
import { fileFault } from '../../../platform/work/file-fault.ts';
import { readXml, type TagHandlers } from '../../../platform/work/sheets/xml.ts';
import { openZip, type OpenZip } from '../../../platform/work/zip.ts';
import type { TextCollector } from './collector.ts';

// A document has a part for each picture and each header.
const KIND = { name: 'document', maxParts: 5_000 };
// Word has nine levels of headings, Markdown six.
const MAX_WORD_LEVEL = 9;
const MAX_LEVEL = 6;

export async function readDocx(source: ByteSource, collector: TextCollector): Promise<void> {
  const zip = await openZip(source, KIND);
  try {
    const levels = await readHeadingStyles(zip);
    const document = zip.part('word/document.xml');
    if (!document) throw fileFault('is a zip, but no document', 'NOT_A_DOCUMENT');
    await readPart(document, createBodyHandlers(levels, collector));
  } finally {
    zip.close();
  }
}

async function readPart(part: AsyncIterable<Buffer>, handlers: TagHandlers): Promise<void> {
  const steps = readXml(part, handlers);
  while (!(await steps.next()).done);
}

type Attributes = Record<string, string>;
const readValue = (attributes: Attributes): string => attributes['w:val'] ?? '';
/** Word counts levels from 0. */
const readLevel = (attributes: Attributes): number => Number(readValue(attributes)) + 1;

/** Returns the levels of the styles that make headings, by the id of the style. Word translates the ids, but not the names. */
async function readHeadingStyles(zip: OpenZip): Promise<Map<string, number>> {
  const levels = new Map<string, number>();
  const part = zip.part('word/styles.xml');
  if (!part) return levels;
  let style = '';
  await readPart(part, {
    open: (name, attributes) => {
      if (name === 'style') style = attributes['w:styleId'] ?? '';
      if (name === 'outlineLvl' && !levels.has(style)) levels.set(style, readLevel(attributes));
      if (name !== 'name') return;
      const heading = /^(?:heading ([1-9])|title)$/i.exec(readValue(attributes));
      if (heading) levels.set(style, Number(heading[1] ?? 1));
    },
  });
  return levels;
}

interface Paragraph {
  text: string;
  /** The level of a heading; 0 for any other paragraph. */
  level: number;
  isListed: boolean;
}

const makeParagraph = (): Paragraph => ({ text: '', level: 0, isListed: false });

/** What is known of the place in the document that is being read. */
interface Body {
  levels: ReadonlyMap<string, number>;
  collector: TextCollector;
  paragraph: Paragraph;
  isText: boolean;
  /** How many tables are open. A table inside of another one is read as the text of its cell. */
  tables: number;
  /** The rows that the outermost table has so far, and the cells of its last row. */
  rows: number;
  cells: string[];
  /** How many second versions are open: Word writes some shapes twice, once for older programs, which would repeat their text. */
  fallbacks: number;
}

function createBodyHandlers(levels: ReadonlyMap<string, number>, collector: TextCollector): TagHandlers {
  const start = { isText: false, tables: 0, rows: 0, cells: [], fallbacks: 0 };
  const body: Body = { levels, collector, paragraph: makeParagraph(), ...start };
  return {
    open: (name, attributes) => {
      if (name === 'Fallback') body.fallbacks += 1;
      if (body.fallbacks === 0) OPENED.get(name)?.(body, attributes);
    },
    text: (text) => {
      if (body.isText && body.fallbacks === 0) body.paragraph.text += text;
    },
    close: (name) => {
      if (body.fallbacks === 0) CLOSED.get(name)?.(body);
      if (name === 'Fallback') body.fallbacks -= 1;
    },
  };
}

/** What is done when a tag is opened. */
const OPENED = new Map<string, (body: Body, attributes: Attributes) => void>([
  ['t', (body) => (body.isText = true)],
  ['tab', ({ paragraph }) => (paragraph.text += ' ')],
  ['br', ({ paragraph }) => (paragraph.text += '\n')],
  ['pStyle', ({ paragraph, levels }, attributes) => (paragraph.level = levels.get(readValue(attributes)) ?? 0)],
  ['outlineLvl', ({ paragraph }, attributes) => (paragraph.level = readLevel(attributes))],
  ['numPr', ({ paragraph }) => (paragraph.isListed = true)],
  ['tbl', beginTable],
  ['tr', (body) => (body.cells = body.tables === 1 ? [] : body.cells)],
  ['tc', ({ tables, cells }) => tables === 1 && cells.push('')],
]);

/** What is done when a tag is closed. */
const CLOSED = new Map<string, (body: Body) => void>([
  ['t', (body) => (body.isText = false)],
  ['p', endParagraph],
  ['tr', endRow],
  ['tbl', (body) => (body.tables -= 1)],
]);

function beginTable(body: Body): void {
  body.tables += 1;
  if (body.tables === 1) body.rows = 0;
}

function endParagraph(body: Body): void {
  const { paragraph, tables, cells, collector } = body;
  body.paragraph = makeParagraph();
  const text = paragraph.text.trim();
  if (text === '') return;
  if (tables === 0) collector.add(formatParagraph({ ...paragraph, text }));
  // A line or a bar within a cell would end the cell.
  else cells.push(`${cells.pop() ?? ''} ${text.replaceAll(/[\s|]+/g, ' ')}`.trim());
}

function endRow(body: Body): void {
  const { tables, cells, rows, collector } = body;
  if (tables !== 1 || cells.length === 0) return;
  const row = `| ${cells.join(' | ')} |`;
  if (rows === 0) collector.add(`${row}\n|${' --- |'.repeat(cells.length)}`);
  else collector.addLine(row);
  body.rows += 1;
}

function formatParagraph({ text, level, isListed }: Paragraph): string {
  if (level >= 1 && level <= MAX_WORD_LEVEL)
    return `${'#'.repeat(Math.min(level, MAX_LEVEL))} ${text.replaceAll('\n', ' ')}`;
  return isListed ? `- ${text}` : text;
}
