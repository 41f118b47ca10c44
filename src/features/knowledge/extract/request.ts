/** The requests for the passages of a file, which extractor.ts sends to child processes. */
import type { TextFormat } from '../../../platform/media/formats.ts';
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
