/** Uploads the file of a field as soon as it is chosen. */
import type { Attachment } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { parley } from '../../client.ts';
import { explainUpload, findTooLarge } from './refusals.ts';

interface FieldUpload {
  isBusy: boolean;
  /** Why the last file was not uploaded. */
  problem: string | null;
  upload(file: File): void;
}

export function useFieldUpload(onStored: (attachment: Attachment) => void): FieldUpload {
  const [problem, setProblem] = useState<string | null>(null);
  const { isPending, mutate } = useMutation({
    mutationFn: (file: File) => parley.attachments.upload({ file }),
    onSuccess: onStored,
    onError: (error, { name }) => setProblem(explainUpload(name, error)),
  });
  const upload = (file: File): void => {
    const tooLarge = findTooLarge(file);
    setProblem(tooLarge);
    if (tooLarge === null) mutate(file);
  };
  return { isBusy: isPending, problem, upload };
}
