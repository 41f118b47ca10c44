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
  /** Adds a file that the platform has already. */
  addStored(attachment: Attachment): void;
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

  const upload = async (key: number, file: File): Promise<void> => {
    const show = (change: Partial<Upload>): void =>
      setFiles((all) => all.map((each) => (each.key === key ? { ...each, ...change } : each)));
    try {
      show({ attachment: await parley.attachments.upload({ file }) });
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
        void upload(key, file);
        return { key, name: file.name, preview, attachment: null, problem: null };
      });
      setFiles((all) => [...all, ...added]);
    },
    addStored: (attachment) => {
      const key = (next.current += 1);
      const stored = { key, name: attachment.meta.fileName, preview: null, attachment, problem: null };
      setFiles((all) => [...all, stored]);
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
