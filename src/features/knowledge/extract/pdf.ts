/** Reads the text of a PDF, some pages at a time. This runs in child processes. */
import { PDFiumModule } from '@hyzyla/pdfium';
import type { ByteSource } from '../../../platform/store/byte-source.ts';
import { fileFault, isBroken, TOO_MUCH_MEMORY } from '../../../platform/work/file-fault.ts';
import { VIEW_SIDE, viewPage, type DrawnPage } from '../../../platform/work/media/view.ts';
import type { PageProgress } from '../schemas.ts';
import type { TextCollector } from './collector.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MAX_PAGES = declareLimit(2_000, {
  topic: 'Knowledge',
  what: 'Item: pages of a PDF',
  beyond: 'the item becomes FAILED',
});
// Reading them takes some tenths of a second. Between two portions other files get their turn.
const PAGES_PER_PORTION = 16;
// What PDFium says about a file that it cannot open because it is encrypted.
const ENCRYPTED: ReadonlySet<number> = new Set([4, 5]);

/** Adds the text of each page to the collector, and yields how far it has come. */
export async function* readPdf(source: ByteSource, collector: TextCollector): AsyncGenerator<PageProgress> {
  const pdf = await openPdf(source);
  const { pages } = pdf;
  yield { read: 0, pages };
  let hasText = false;
  for (let page = 0; page < pages; page += 1) {
    const text = joinLines(pdf.readPage(page));
    if (text !== '') collector.add(text);
    hasText ||= text !== '';
    if ((page + 1) % PAGES_PER_PORTION === 0 || page + 1 === pages) yield { read: page + 1, pages };
  }
  if (!hasText) throw fileFault('has no text: its pages may be pictures, like those of a scanner', 'NO_TEXT');
}

/** Draws the first pages of a PDF, as JPGs. A page that is broken is left out. */
export async function drawPdf(source: ByteSource, most: number): Promise<{ drawn: Buffer[]; pages: number }> {
  const pdf = await openPdf(source);
  const { pages } = pdf;
  const drawn: Buffer[] = [];
  for (let page = 0; page < Math.min(pages, most); page += 1) {
    const picture = pdf.drawPage(page);
    if (picture) drawn.push(await viewPage(picture));
  }
  if (drawn.length === 0) throw fileFault('has no page that can be drawn', 'NO_TEXT');
  return { drawn, pages };
}

interface OpenPdf {
  pages: number;
  /** Returns the text of a page, counted from 0. */
  readPage(page: number): string;
  /** Returns the picture of a page, counted from 0; null for one that is broken. */
  drawPage(page: number): DrawnPage | null;
}

/** Each file gets a PDFium of its own, so that nothing of a file is left in the memory with which the next one is read. */
async function openPdf(source: ByteSource): Promise<OpenPdf> {
  const pdfium = await PDFiumModule({});
  pdfium._FPDF_InitLibraryWithConfig({});
  const { malloc, free } = pdfium.wasmExports;
  const start = runPdfium(() => malloc(source.bytes));
  if (start === 0) throw fileFault(TOO_MUCH_MEMORY);
  let at = start;
  for await (const piece of source.read(0, source.bytes)) {
    pdfium.HEAPU8.set(piece, at);
    at += piece.length;
  }
  const document = runPdfium(() => pdfium._FPDF_LoadMemDocument(start, source.bytes, 0));
  if (document === 0) {
    if (ENCRYPTED.has(pdfium._FPDF_GetLastError())) throw fileFault('is protected by a password', 'ENCRYPTED');
    throw fileFault('is not a readable PDF');
  }
  const pages = runPdfium(() => pdfium._FPDF_GetPageCount(document));
  if (pages > MAX_PAGES) throw fileFault(`has more than ${MAX_PAGES} pages`, 'TOO_LONG');

  function readPage(index: number): string {
    const page = pdfium._FPDF_LoadPage(document, index);
    // A page that is broken is left out, like most programs do that show the file.
    const text = page && pdfium._FPDFText_LoadPage(page);
    const characters = text && pdfium._FPDFText_CountChars(text);
    const place = characters > 0 ? malloc(2 * (characters + 1)) : 0;
    const length = place && 2 * (pdfium._FPDFText_GetText(text, 0, characters, place) - 1);
    const read = length > 0 ? UTF_16.decode(pdfium.HEAPU8.subarray(place, place + length)) : '';
    if (place) free(place);
    if (text) pdfium._FPDFText_ClosePage(text);
    if (page) pdfium._FPDF_ClosePage(page);
    return read;
  }
  return {
    pages,
    readPage: (page) => runPdfium(() => readPage(page)),
    drawPage: (page) => runPdfium(() => drawPage(pdfium, document, page)),
  };
}

// The kind of a picture with four bytes for each point, and the two wishes for it: with the notes on the page, and red before blue.
const FOUR_BYTES = 4;
const ANNOTATED = 0x01;
const RED_FIRST = 0x10;
const WHITE = 0xff_ff_ff_ff;

/** Draws a page so that its longest side is that of a view. */
function drawPage(pdfium: Pdfium, document: number, index: number): DrawnPage | null {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const sides = [pdfium._FPDF_GetPageWidth(page), pdfium._FPDF_GetPageHeight(page)] as const;
  const scale = VIEW_SIDE / Math.max(...sides);
  const [width, height] = [Math.max(1, Math.round(sides[0] * scale)), Math.max(1, Math.round(sides[1] * scale))];
  const bytes = width * height * FOUR_BYTES;
  const place = Number.isFinite(bytes) ? pdfium.wasmExports.malloc(bytes) : 0;
  const bitmap = place && pdfium._FPDFBitmap_CreateEx(width, height, FOUR_BYTES, place, width * FOUR_BYTES);
  if (bitmap) {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, ANNOTATED | RED_FIRST);
  }
  const points = bitmap ? Buffer.from(pdfium.HEAPU8.subarray(place, place + bytes)) : null;
  if (bitmap) pdfium._FPDFBitmap_Destroy(bitmap);
  if (place) pdfium.wasmExports.free(place);
  pdfium._FPDF_ClosePage(page);
  return points && { points, width, height };
}

type Pdfium = Awaited<ReturnType<typeof PDFiumModule>>;

const UTF_16 = new TextDecoder('utf-16le');

/** A file that makes PDFium fail is broken. */
function runPdfium<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isBroken(error) ? fileFault('is not a readable PDF') : error;
  }
}

// A line that is at least this long, compared with the longest one of its page, was broken because it has reached the edge.
const FULL_LINE = 0.75;
// PDFium writes this for a hyphen that divides a word at the end of a line, and no end of the line behind it.
const LINE_HYPHEN = '\ufffe';

/** Joins the lines of each paragraph. A line that ends before the edge of the page ends its paragraph. */
function joinLines(text: string): string {
  const lines = text
    .split(/\r\n|\r|\n|(?<=\ufffe)/)
    .map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '');
  const longest = lines.reduce((length, line) => Math.max(length, line.length), 0);
  return lines
    .map((line) => {
      if (line.endsWith(LINE_HYPHEN)) return line.slice(0, -LINE_HYPHEN.length);
      return line + (line.length < FULL_LINE * longest ? '\n' : ' ');
    })
    .join('')
    .trim();
}
