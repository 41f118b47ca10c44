/** Has the passages of a file, or its text and its pages for a model, read by a child process. */
import type { ChildReaders } from '../../../platform/work/child-readers.ts';
import type { TextFormat } from '../../../platform/work/media/formats.ts';
import { readInChild, workInChild, type FileReading } from '../../../platform/work/media/reading.ts';
import type { Passage } from '../passages.ts';
import type { PageProgress } from '../schemas.ts';
import type {
  BegunFile,
  DrawnPages,
  ExtractionAnswer,
  ExtractionRequest,
  FileText,
  PagesRequest,
  TextRequest,
} from './request.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// The CPU time for a portion of pages, or for a file without pages. The longest text that is accepted takes some seconds.
const CPU_MS = declareLimit(30_000, {
  topic: 'Knowledge',
  what: 'Item: computing time per file, or per 16 pages of a PDF',
  unit: 'ms',
  beyond: 'the item becomes FAILED',
});
// How long the worker waits, with the waits for its turns. It tries again later.
const PATIENCE_MS = 90_000;

export interface Extraction extends Pick<BegunFile, 'format' | 'maxPassages'> {
  /** Called whenever some pages of the file were read. */
  onProgress(progress: PageProgress): Promise<void>;
}

/** Throws an AppError about the part `file` when its text cannot be read, and UNAVAILABLE when its turns do not come soon. */
export function extractPassages(
  readers: ChildReaders,
  reading: FileReading,
  { format, maxPassages, onProgress }: Extraction,
): Promise<Passage[]> {
  return workInChild(readers, reading, {
    patienceMs: PATIENCE_MS,
    isAwaited: false,
    work: async (reader) => {
      let request: ExtractionRequest = { extract: { bytes: reading.source.bytes, format, maxPassages } };
      for (;;) {
        const answer = await reader.ask<ExtractionAnswer>(request, CPU_MS);
        if ('passages' in answer) return answer.passages;
        await onProgress(answer.progress);
        request = { extract: 'MORE' };
      }
    },
  });
}

// A contact waits for the answer to a file.
const AWAITED = { cpuMs: 10_000, patienceMs: 12_000 };

/** Reads the beginning of the text of a file. Throws like extractPassages(). */
export function extractText(
  readers: ChildReaders,
  reading: FileReading,
  { format, maxCharacters }: { format: TextFormat; maxCharacters: number },
): Promise<FileText> {
  const request: TextRequest = { readText: { bytes: reading.source.bytes, format, maxCharacters } };
  return readInChild(readers, reading, { request, ...AWAITED });
}

/** Draws the first pages of a PDF as JPGs. Throws like extractPassages(). */
export function drawPages(readers: ChildReaders, reading: FileReading, most: number): Promise<DrawnPages> {
  const request: PagesRequest = { drawPages: { bytes: reading.source.bytes, most } };
  return readInChild(readers, reading, { request, ...AWAITED });
}
