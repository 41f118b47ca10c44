/** What the model of an agent gets of one file. */
import type { Picture } from '../../../ai/chat.ts';
import type { ReadFile } from '../turns/schemas.ts';

/** A file cannot be read. The message says why, for the log of the turn. */
export class CanNotRead extends Error {}

export interface Reading extends Pick<ReadFile, 'read_as' | 'note'> {
  text: string;
  pictures: Picture[];
}

/** Nothing but that the file was sent. */
export const readNothing = (note: string): Reading => ({ read_as: 'NOTHING', note, text: '', pictures: [] });
