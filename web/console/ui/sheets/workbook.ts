/** Reads the first rows of an XLSX file: an archive of XML documents, of which only the beginning of each is unpacked. */
import { openArchive, type Archive } from './archive.ts';

/** Returns the cells of the first rows of the first sheet, as text. */
export async function readWorkbookRows(file: Blob, most: number): Promise<string[][]> {
  const archive = await openArchive(file);
  const sheet = parseXml(await archive.read(await findFirstSheet(archive)), 'row');
  const texts = parseXml(await archive.read('xl/sharedStrings.xml'), 'si');
  const shared = listElements(texts, 'si').map(readText);
  return listElements(sheet, 'row')
    .slice(0, most)
    .map((row) => readCells(row, shared));
}

const listElements = (parent: Document | Element, name: string): Element[] => [
  ...parent.getElementsByTagNameNS('*', name),
];

/** The workbook names its sheets in their order, and another document says in which file each is. */
async function findFirstSheet(archive: Archive): Promise<string> {
  const book = parseXml(await archive.read('xl/workbook.xml'), 'sheets');
  const attributes = [...(listElements(book, 'sheet')[0]?.attributes ?? [])];
  const id = attributes.find(({ localName, prefix }) => localName === 'id' && prefix !== null)?.value;
  const links = parseXml(await archive.read('xl/_rels/workbook.xml.rels'), 'Relationship');
  const link = listElements(links, 'Relationship').find((each) => each.getAttribute('Id') === id);
  const target = link?.getAttribute('Target') ?? 'worksheets/sheet1.xml';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** The pronunciation of a text stands beside it and is left out. */
const readText = (element: Element): string =>
  listElements(element, 't')
    .filter(({ parentElement }) => parentElement?.localName !== 'rPh')
    .map(({ textContent }) => textContent)
    .join('');

function readCells(row: Element, shared: readonly string[]): string[] {
  const cells: string[] = [];
  for (const cell of listElements(row, 'c')) {
    const at = findColumn(cell.getAttribute('r')) ?? cells.length;
    while (cells.length < at) cells.push('');
    const value = listElements(cell, 'v')[0]?.textContent ?? '';
    const kind = cell.getAttribute('t');
    cells[at] = kind === 's' ? (shared[Number(value)] ?? '') : kind === 'inlineStr' ? readText(cell) : value;
  }
  return cells;
}

/** The most columns that a sheet may have; a place far to the right must not make as many empty cells. */
const MOST_COLUMNS = 500;

/** Returns the place of a column: 0 for A1, 27 for AB7. */
function findColumn(reference: string | null): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  let place = 0;
  for (const letter of letters) place = place * 26 + (letter.codePointAt(0) ?? 0) - 64;
  return Math.min(place, MOST_COLUMNS) - 1;
}

/** Reads XML that may end in the middle: what stands behind the last whole element of this name is left out, and its parents are closed. */
function parseXml(text: string, name: string): Document {
  const parser = new DOMParser();
  const whole = parser.parseFromString(text, 'text/xml');
  if (whole.getElementsByTagName('parsererror').length === 0) return whole;
  const end = [...text.matchAll(new RegExp(`</(?:\\w+:)?${name}>`, 'g'))].at(-1);
  const part = end ? text.slice(0, end.index + end[0].length) : '';
  const closed = listOpenTags(part).map((tag) => `</${tag}>`);
  return parser.parseFromString(part + closed.join(''), 'text/xml');
}

/** Returns the names of the elements that have not ended, the innermost first. */
function listOpenTags(text: string): string[] {
  const open: string[] = [];
  for (const [tag, name = ''] of text.matchAll(/<\/?((?:\w+:)?\w+)[^<>]*>/g)) {
    if (tag.startsWith('</')) open.pop();
    else if (!tag.endsWith('/>')) open.push(name);
  }
  return open.toReversed();
}
