/**
 * Keeps the files of companies in a store: a folder, or a bucket of an S3-compatible service. A file is found by its key, which begins with
 * the id of the company. Everything else about the file is in the record that contains the key.
 */
import type { Readable } from 'node:stream';
import { isSameSecret, type Secrets } from '../secrets.ts';
import type { WrittenFile } from '../temporary-file.ts';
import { checkRange, type ByteRange, type FileContent, type FileStore, type PutOptions } from './store.ts';

/** Returns those of the company's keys that a record contains. */
export type FindKnown = (company: string, keys: readonly string[]) => Promise<ReadonlySet<string>>;

export interface Files {
  /**
   * Stores a file, whole or not at all; a file that has this key already is replaced. The stream is destroyed, however the call ends.
   * Throws TooManyBytes beyond `maxBytes`, STORAGE_FULL and UNAVAILABLE.
   */
  put(key: string, content: Readable, options: PutOptions): Promise<WrittenFile>;
  /** Null when there is no such file. The stream has to be read or destroyed. Throws a RangeError for a range that is not inside the file. */
  get(key: string, range?: ByteRange): Promise<FileContent | null>;
  /** Removes a file; nothing happens when there is none. */
  remove(key: string): Promise<void>;
  /** Makes a path, with its query, that opens the file to everybody who has it, for `seconds` from now. */
  sign(key: string, seconds: number): { path: string; expiresAt: Date };
  /** True when `sign` has made a path with this key and query, and it has not expired. */
  isSigned(key: string, query: { expires?: string; signature?: string }): boolean;
  /**
   * Removes files that no record names, and what interrupted writes have left, if they were written before `olderThan`. The caller chooses
   * a time long enough for a file to get its record. Returns the number of removed files.
   */
  sweep(olderThan: Date, findKnown: FindKnown): Promise<number>;
}

// The company's id, what kind of file it is, and its name. Always three parts, so that no file has the name of a folder; in lower case,
// because some file systems do not distinguish cases; and a name begins and ends with a letter or digit, so it is never `..`.
const KEY = /^[0-9a-f]{24}\/[a-z][a-z-]{0,29}\/[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;
/** A link that leaks opens the file to anybody, so it ends soon. */
const LONGEST_LINK_SECONDS = 3_600;
/** Below this path the platform serves files to holders of a signed link. */
const LINKS = '/files';
/** The number of keys that one query compares with the records. */
const SWEPT_AT_ONCE = 500;

export function createFiles(store: FileStore, secrets: Secrets, now: () => number = Date.now): Files {
  const signatureFor = (key: string, expires: string): string => secrets.derive(`file:${key}:${expires}`);
  return {
    async put(key, content, options) {
      // Failure policy: the error of a stream is thrown when the stream is read; without a listener an earlier error would end the process.
      content.on('error', () => undefined);
      try {
        return await store.put(checkKey(key), content, options);
      } finally {
        content.destroy();
      }
    },
    async get(key, range) {
      // The store compares the range with the size of the file.
      if (range) checkRange(range, Number.MAX_SAFE_INTEGER);
      return store.get(checkKey(key), range);
    },
    remove: async (key) => store.remove(checkKey(key)),
    sign(key, seconds) {
      if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_LINK_SECONDS)
        throw new RangeError(`a link lasts 1 to ${LONGEST_LINK_SECONDS} seconds`);
      const expires = Math.floor(now() / 1000) + seconds;
      const query = `expires=${expires}&signature=${signatureFor(key, String(expires))}`;
      return { path: `${LINKS}/${checkKey(key)}?${query}`, expiresAt: new Date(expires * 1000) };
    },
    isSigned(key, { expires = '', signature }) {
      if (!KEY.test(key) || !/^[1-9]\d{0,14}$/.test(expires)) return false;
      return isSameSecret(signature, signatureFor(key, expires)) && Number(expires) * 1000 > now();
    },
    sweep: (olderThan, findKnown) => sweep(store, olderThan.getTime(), findKnown),
  };
}

/** Throws for a key that no caller may use: keys are made by the platform, so this is a defect and no bad input. */
function checkKey(key: string): string {
  if (!KEY.test(key)) throw new Error('the key of a file is <id of the company>/<kind>/<name>');
  return key;
}

const companyOf = (key: string): string => key.slice(0, key.indexOf('/'));

async function sweep(store: FileStore, olderThanMs: number, findKnown: FindKnown): Promise<number> {
  let removed = 0;
  let keys: string[] = [];
  const compare = async (company: string): Promise<void> => {
    const known = await findKnown(company, keys);
    for (const key of keys.filter((each) => !known.has(each))) {
      await store.remove(key);
      removed += 1;
    }
    keys = [];
  };
  await store.removeUnfinished(olderThanMs);
  // A store lists all keys of one company after each other.
  let company = '';
  for await (const { key, writtenMs } of store.list()) {
    // Files that this platform did not write are kept.
    if (!KEY.test(key) || writtenMs >= olderThanMs) continue;
    if (keys.length > 0 && (keys.length === SWEPT_AT_ONCE || companyOf(key) !== company)) await compare(company);
    company = companyOf(key);
    keys.push(key);
  }
  if (keys.length > 0) await compare(company);
  return removed;
}
