/**
 * Reads the passages of a file, a portion of its pages with each request, or its text and its pages for a model. This runs in child processes.
 */
import type { ByteSource } from '../../../platform/store/byte-source.ts';
import type { Supply } from '../../../platform/work/child.ts';
import { suppliedSource } from '../../../platform/work/child-work.ts';
import { fileFault } from '../../../platform/work/file-fault.ts';
import type { TextFormat } from '../../../platform/work/media/formats.ts';
import { MAX_PASSAGE, splitIntoPassages } from '../passages.ts';
import type { PageProgress } from '../schemas.ts';
import { createCollector, createCuttingCollector, type TextCollector } from './collector.ts';
import { readDocx } from './docx.ts';
import { readPlainText } from './plain-text.ts';
import type {
  BegunFile,
  DrawnPages,
  ExtractionAnswer,
  ExtractionRequest,
  FileText,
  PagesRequest,
  TextRequest,
} from './request.ts';

interface Reading {
  portions: AsyncIterator<PageProgress, void>;
  collector: TextCollector;
  maxPassages: number;
}

/** The file that is read now. One that was given up is forgotten when the next one begins. */
let reading: Reading | null = null;

export async function answerExtraction({ extract }: ExtractionRequest, supply: Supply): Promise<ExtractionAnswer> {
  const current = extract === 'MORE' ? reading : begin(extract, supply);
  if (!current) throw new Error('no file was begun');
  reading = null;
  const { portions, collector, maxPassages } = current;
  const { done, value } = await portions.next();
  if (!done) {
    reading = current;
    return { progress: value };
  }
  const passages = splitIntoPassages(collector.read());
  if (passages.length > maxPassages) throw fileFault(`makes more than ${maxPassages} passages`, 'TOO_LONG');
  return { passages };
}

function begin({ bytes, format, maxPassages }: BegunFile, supply: Supply): Reading {
  const collector = createCollector(maxPassages * MAX_PASSAGE);
  return { portions: readText(format, suppliedSource(bytes, supply), collector), collector, maxPassages };
}

/** Reads the text of a file from its beginning, until there is enough of it. */
export async function answerText({ readText: file }: TextRequest, supply: Supply): Promise<FileText> {
  const collector = createCuttingCollector(file.maxCharacters);
  const portions = readText(file.format, suppliedSource(file.bytes, supply), collector);
  while (!collector.isCut() && !(await portions.next()).done);
  return { text: collector.read(), isCut: collector.isCut() };
}

export async function answerPages({ drawPages: { bytes, most } }: PagesRequest, supply: Supply): Promise<DrawnPages> {
  const { drawPdf } = await import('./pdf.ts');
  return drawPdf(suppliedSource(bytes, supply), most);
}

/** Adds the text of a file to the collector, and yields how far it has come where the file has pages. */
async function* readText(
  format: TextFormat,
  source: ByteSource,
  collector: TextCollector,
): AsyncGenerator<PageProgress, void> {
  switch (format) {
    case 'PDF': {
      // PDFium takes some tenths of a second to load.
      const { readPdf } = await import('./pdf.ts');
      return yield* readPdf(source, collector);
    }
    case 'DOCX':
      return readDocx(source, collector);
    case 'TXT':
      return readPlainText(source, collector);
  }
}
