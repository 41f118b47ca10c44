/** Reads the first rows of an XLSX file: an archive of XML documents, of which only the beginning of each is unpacked. */
import { SaxesParser } from 'saxes';
import { openArchive, type Archive } from './archive.ts';

/** Returns the cells of the first rows of the first sheet, as text. */
export async function readWorkbookRows(file: Blob, most: number): Promise<string[][]> {
  const archive = await openArchive(file);
  const rows = listElements(await archive.read(await findFirstSheet(archive)), 'row');
  const shared = listElements(await archive.read('xl/sharedStrings.xml'), 'si').map(readText);
  return rows.slice(0, most).map((row) => readCells(row, shared));
}

interface XmlElement {
  /** The name without its prefix. */
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  text: string;
}

/**
 * Returns the whole elements of this name in an XML that may end in the middle. The parser of the browser is of no use here: it answers an
 * unfinished document with one that has inline styles, which the page's content policy refuses.
 */
function listElements(xml: string, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const open: XmlElement[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', (tag) =>
    open.push({ name: toLocal(tag.name), attributes: new Map(Object.entries(tag.attributes)), children: [], text: '' }),
  );
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last) last.text += text;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element?.name === name) found.push(element);
    if (element) open.at(-1)?.children.push(element);
  });
  // Failure policy: of a broken document, what stands before the fault is shown. The platform refuses the sheet later.
  parser.on('error', () => undefined);
  parser.write(xml);
  return found;
}

const toLocal = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The workbook names its sheets in their order, and another document says in which file each is. */
async function findFirstSheet(archive: Archive): Promise<string> {
  const [sheet] = listElements(await archive.read('xl/workbook.xml'), 'sheet');
  const [, id] = [...(sheet?.attributes ?? [])].find(([name]) => name.endsWith(':id')) ?? [];
  const links = listElements(await archive.read('xl/_rels/workbook.xml.rels'), 'Relationship');
  const link = links.find(({ attributes }) => attributes.get('Id') === id);
  const target = link?.attributes.get('Target') ?? 'worksheets/sheet1.xml';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** The pronunciation of a text stands beside it and is left out. */
const readText = ({ name, text, children }: XmlElement): string =>
  name === 't' ? text : children.map((child) => (child.name === 'rPh' ? '' : readText(child))).join('');

function readCells({ children }: XmlElement, shared: readonly string[]): string[] {
  const cells: string[] = [];
  for (const cell of children.filter(({ name }) => name === 'c')) {
    const at = findColumn(cell.attributes.get('r') ?? null) ?? cells.length;
    while (cells.length < at) cells.push('');
    const value = cell.children.find(({ name }) => name === 'v')?.text ?? '';
    const kind = cell.attributes.get('t');
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
