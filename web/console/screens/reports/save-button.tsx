/** Saves a part of a report as CSV. */
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { showError } from '../../ui/toast.tsx';
import { REPORTS } from './texts.ts';

interface SaveButtonProps {
  /** What is saved, for those who do not see where the button is. */
  label: string;
  name: string;
  read(this: void): Promise<Response>;
}

export function SaveButton({ label, name, read }: SaveButtonProps): ReactElement {
  const texts = useTexts(REPORTS);
  const save = useMutation({ mutationFn: async () => saveFile(await read(), name), onError: showError });
  return (
    <Button icon="download" aria-label={label} title={label} isBusy={save.isPending} onClick={() => save.mutate()}>
      {texts.csv}
    </Button>
  );
}
