/** Files that were chosen for a message. They are uploaded at once, so that sending takes no longer than for a text. */
import type { Attachment } from '@parley/sdk';
import { useEffect, useRef, useState } from 'react';
import { parley } from '../../client.ts';
import { explainError } from '../problem.ts';

export interface Upload {
  key: number;
  name: string;
  /** Shows a picture from the memory of the browser; null for other files. */
  preview: string | null;
  /** What the platform has stored; null until then. */
  attachment: Attachment | null;
  problem: string | null;
}

/** As many files as one look at them allows. */
const MOST_FILES = 10;

export interface Uploads {
  files: readonly Upload[];
  isReady: boolean;
  add(files: readonly File[]): void;
  /** Adds a file that the platform has already, once its record is there. */
  addStored(name: string, record: Promise<Attachment>): void;
  remove(key: number): void;
  clear(): void;
}

/** `most` is how many files there may be. */
export function useUploads(most = MOST_FILES): Uploads {
  const [files, setFiles] = useState<readonly Upload[]>([]);
  const next = useRef(0);
  const forget = (some: readonly Upload[]): void => {
    for (const { preview } of some) if (preview !== null) URL.revokeObjectURL(preview);
  };
  const latest = useRef(files);
  latest.current = files;
  useEffect(() => () => forget(latest.current), []);

  const fill = async (key: number, record: Promise<Attachment>): Promise<void> => {
    const show = (change: Partial<Upload>): void =>
      setFiles((all) => all.map((each) => (each.key === key ? { ...each, ...change } : each)));
    try {
      const attachment = await record;
      show({ attachment, name: attachment.meta.fileName });
    } catch (error) {
      show({ problem: explainError(error) });
    }
  };
  return {
    files,
    isReady: files.every(({ attachment }) => attachment !== null),
    add: (chosen) => {
      const added = chosen.slice(0, most - files.length).map((file) => {
        const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : null;
        const key = (next.current += 1);
        void fill(key, parley.attachments.upload({ file }));
        return { key, name: file.name, preview, attachment: null, problem: null };
      });
      setFiles((all) => [...all, ...added]);
    },
    addStored: (name, record) => {
      const key = (next.current += 1);
      setFiles((all) => [...all, { key, name, preview: null, attachment: null, problem: null }]);
      void fill(key, record);
    },
    remove: (key) => {
      forget(files.filter((each) => each.key === key));
      setFiles((all) => all.filter((each) => each.key !== key));
    },
    clear: () => {
      forget(files);
      setFiles([]);
    },
  };
}
