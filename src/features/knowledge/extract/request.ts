/** The requests for what stands in a file, which extractor.ts sends to child processes. */
import type { TextFormat } from '../../../platform/work/media/formats.ts';
import type { Passage } from '../passages.ts';
import type { PageProgress } from '../schemas.ts';

/** Begins with a file, or goes on with the one that was begun. */
export interface ExtractionRequest {
  extract: BegunFile | 'MORE';
}

/** How many bytes the file has, its format, and how many passages it may make. */
export interface BegunFile {
  bytes: number;
  format: TextFormat;
  maxPassages: number;
}

/** What the child answers: all passages, or how many pages it has read, when it has to be called again for the others. */
export type ExtractionAnswer = { passages: Passage[] } | { progress: PageProgress };

export const isExtraction = (request: object): request is ExtractionRequest => 'extract' in request;

/** The request for the beginning of the text of a file. */
export interface TextRequest {
  readText: Pick<BegunFile, 'bytes' | 'format'> & { maxCharacters: number };
}

export interface FileText {
  text: string;
  /** The file has more text than that. */
  isCut: boolean;
}

/** The request for pictures of the first pages of a PDF. */
export interface PagesRequest {
  drawPages: { bytes: number; most: number };
}

/** The pages as JPGs, and how many pages the PDF has. */
export interface DrawnPages {
  drawn: Uint8Array[];
  pages: number;
}

export const isTextRequest = (request: object): request is TextRequest => 'readText' in request;
export const isPagesRequest = (request: object): request is PagesRequest => 'drawPages' in request;
