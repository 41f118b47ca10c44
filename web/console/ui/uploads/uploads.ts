/** Files that were chosen for a message. They are uploaded at once, so that sending takes no longer than for a text. */
import type { Attachment } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { whenSeen, withLock } from '../../../browser/tabs.ts';
import { parley } from '../../client.ts';
import { createStore, useStore, type Store } from '../../store.ts';
import { explainError } from '../problem.ts';

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
  addStored(name: string, record: Promise<Attachment>): void;
  remove(key: string): void;
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
        void addUpload(store, { name: file.name, preview }, parley.attachments.upload({ file }));
      }
    },
    addStored: (name, record) => void addUpload(store, { name, preview: null }, record),
    remove: (key) => remove((each) => each.key === key),
    clear: () => remove(() => true),
  };
}

const forget = (files: readonly Upload[]): void => {
  for (const { preview } of files) if (preview !== null) URL.revokeObjectURL(preview);
};

/** Runs something once an upload has ended, also one of another tab and one whose tab has gone. */
export const whenUploadEnds = (key: string, run: () => Promise<unknown>): Promise<unknown> =>
  withLock(`parley.upload.${key}`, run);

async function addUpload(
  store: UploadStore,
  shown: Pick<Upload, 'name' | 'preview'>,
  record: Promise<Attachment>,
): Promise<void> {
  const key = makeKey();
  const show = (change: Partial<Upload>): void =>
    store.set(store.get().map((each) => (each.key === key ? { ...each, ...change } : each)));
  void whenUploadEnds(key, () => record.then(whenSeen, whenSeen));
  store.set([...store.get(), { ...shown, key, attachment: null, problem: null }]);
  try {
    const attachment = await record;
    show({ attachment, name: attachment.meta.fileName });
  } catch (error) {
    show({ problem: explainError(error) });
  }
}

let lastKeyAt = 0;

/** Two files of one browser never have the same key, also when tabs share them. */
function makeKey(): string {
  lastKeyAt = Math.max(Date.now(), lastKeyAt + 1);
  return `${lastKeyAt}-${Math.random()}`;
}
