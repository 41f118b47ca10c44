/** The names of files, as callers give them and as browsers save them. */
import { fileFault } from '../../platform/work/file-fault.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const MAX_NAME = declareLimit(255, { topic: 'Files', what: 'File name', unit: 'characters', beyond: '400' });

// Characters that reverse the direction of the text after them: with them `exe.gpj` reads like `jpg.exe`.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Removes the folders from a file name: some programs send the whole path. */
export const dropFolders = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);

/** Returns the name without folders if it can be shown and stored. Throws an error that says what is wrong with it. */
export function checkFileName(given: string): string {
  const name = dropFolders(given).trim();
  if (name === '' || name === '.' || name === '..') throw nameFault('is empty');
  if (name.length > MAX_NAME) throw nameFault(`is longer than ${MAX_NAME} characters`);
  if (/[\p{Cc}\u2028\u2029]/u.test(name) || !name.isWellFormed()) throw nameFault('has control characters');
  if (TURNING.test(name)) throw nameFault('has characters that change the text direction');
  return name;
}

const nameFault = (message: string): Error => fileFault(`has a name that ${message}`, 'FILE_NAME');

/** The name under which a browser saves a file. It ends like the contents, so that no program can be saved as one. */
export function savedName(name: string, extension: string): string {
  const ending = `.${extension}`;
  const isRight = name.toLowerCase().endsWith(ending) || (extension === 'jpg' && /\.jpeg$/i.test(name));
  return isRight ? name : name + ending;
}

/** The name of a file without the ending that its extension makes. */
export const withoutExtension = (name: string, extension: string): string =>
  name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) || name : name;
