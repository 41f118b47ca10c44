/** Files that were chosen for a message. They are uploaded at once, so that sending takes no longer than for a text. */
import type { Attachment } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { whenSeen, withLock } from '../../../browser/tabs.ts';
import { parley } from '../../client.ts';
import { createStore, useStore, type Store } from '../../store.ts';
import { explainUpload, findTooLarge, isRefused } from './refusals.ts';

export interface Upload {
  /** Sorts files by when they were chosen. */
  key: string;
  name: string;
  /** Shows a picture from the memory of the browser; null for other files. */
  preview: string | null;
  /** What the platform has stored; null until then. */
  attachment: Attachment | null;
  problem: string | null;
}

/** The files of one message. */
export type UploadStore = Store<readonly Upload[]>;

/** As many files as one look at them allows. */
const MOST_FILES = 10;

export interface Uploads {
  files: readonly Upload[];
  isReady: boolean;
  add(files: readonly File[]): void;
  /** Adds a file that the platform has already, once its record is there. */
  addStored(name: string, read: () => Promise<Attachment>): void;
  remove(key: string): void;
  /** Uploads a file again, where `canRetry` says so. */
  retry(key: string): void;
  clear(): void;
}

/** Holds files for as long as they are shown. `most` is how many there may be. */
export function useUploads(most?: number): Uploads {
  const [store] = useState<UploadStore>(() => createStore<readonly Upload[]>([]));
  useEffect(() => () => forget(store.get()), [store]);
  return useUploadsIn(store, most);
}

/** Holds files in a store, which may outlive what shows them. */
export function useUploadsIn(store: UploadStore, most = MOST_FILES): Uploads {
  const files = useStore(store);
  const remove = (isGone: (file: Upload) => boolean): void => {
    forget(store.get().filter(isGone));
    store.set(store.get().filter((each) => !isGone(each)));
  };
  return {
    files,
    isReady: files.every(({ attachment }) => attachment !== null),
    add: (chosen) => {
      for (const file of chosen.slice(0, most - files.length)) {
        const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : null;
        const tooLarge = findTooLarge(file);
        addUpload(store, { name: file.name, preview }, tooLarge ?? (() => parley.attachments.upload({ file })));
      }
    },
    addStored: (name, read) => addUpload(store, { name, preview: null }, read),
    remove: (key) => remove((each) => each.key === key),
    retry: (key) => {
      const file = store.get().find((each) => each.key === key);
      if (file) void upload(store, file);
    },
    clear: () => remove(() => true),
  };
}

const forget = (files: readonly Upload[]): void => {
  for (const { key, preview } of files) {
    attempts.delete(key);
    if (preview !== null) URL.revokeObjectURL(preview);
  }
};

/** Runs something once an upload has ended, also one of another tab and one whose tab has gone. */
export const whenUploadEnds = (key: string, run: () => Promise<unknown>): Promise<unknown> =>
  withLock(`parley.upload.${key}`, run);

/** How a file of this page that is not stored yet is uploaded. */
const attempts = new Map<string, () => Promise<Attachment>>();

/** Whether a file that was not uploaded can be uploaded again without choosing it again. */
export const canRetry = (key: string): boolean => attempts.has(key);

/** Adds a file and uploads it. Instead of an attempt there may be a problem. */
function addUpload(
  store: UploadStore,
  shown: Pick<Upload, 'name' | 'preview'>,
  attempt: (() => Promise<Attachment>) | string,
): void {
  const file = { ...shown, key: makeKey(), attachment: null, problem: null };
  if (typeof attempt === 'string') return store.set([...store.get(), { ...file, problem: attempt }]);
  attempts.set(file.key, attempt);
  void upload(store, file);
}

async function upload(store: UploadStore, file: Upload): Promise<void> {
  const { key, name } = file;
  const record = attempts.get(key)?.();
  if (!record) return;
  // Another tab that sees the file waits for this, so it comes first.
  void whenUploadEnds(key, () => record.then(whenSeen, whenSeen));
  const show = (change: Partial<Upload>): void =>
    store.set(store.get().map((each) => (each.key === key ? { ...each, ...change } : each)));
  if (store.get().some((each) => each.key === key)) show({ problem: null });
  else store.set([...store.get(), file]);
  try {
    const attachment = await record;
    attempts.delete(key);
    show({ attachment, name: attachment.meta.fileName });
  } catch (error) {
    if (isRefused(error)) attempts.delete(key);
    show({ problem: explainUpload(name, error) });
  }
}

let lastKeyAt = 0;

/** Two files of one browser never have the same key, also when tabs share them. */
function makeKey(): string {
  lastKeyAt = Math.max(Date.now(), lastKeyAt + 1);
  return `${lastKeyAt}-${Math.random()}`;
}
