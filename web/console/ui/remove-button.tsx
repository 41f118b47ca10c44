/** Removes a record after a second press, because nothing brings it back. */
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { FormProblem } from './form-problem.tsx';
import { COMMON } from './texts.ts';

interface RemoveButtonProps<T> {
  /** What is lost; shown after the first press. */
  meaning?: string;
  /** What the button says then. */
  confirmation?: string;
  remove(): Promise<T>;
  onRemoved(answer: T): void;
}

export function RemoveButton<T>({ meaning, confirmation, remove, onRemoved }: RemoveButtonProps<T>): ReactElement {
  const common = useTexts(COMMON);
  const removing = useMutation({ mutationFn: remove, onSuccess: onRemoved });
  return (
    <>
      <FormProblem error={removing.error} fields={[]} />
      <ConfirmButton
        label={common.remove}
        question={confirmation ?? common.reallyRemove}
        meaning={removing.error ? undefined : meaning}
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate()}
      />
    </>
  );
}
