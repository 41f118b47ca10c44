/** Says what an action means, and does it when somebody agrees. */
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog, type FinalFocus } from './dialog.tsx';
import { FormProblem } from './form-problem.tsx';
import { COMMON } from './texts.ts';

interface ConfirmDialogProps<T> {
  title: string;
  /** What the action does, and what cannot be taken back. */
  lead: ReactNode;
  /** What the button says that does it. */
  action: string;
  isDangerous?: boolean;
  act(): Promise<T>;
  onDone(answer: T): void;
  onClose(): void;
  finalFocus?: FinalFocus;
}

export function ConfirmDialog<T>(props: ConfirmDialogProps<T>): ReactElement {
  const { title, lead, action, isDangerous = false, act, onDone, onClose, finalFocus } = props;
  const texts = useTexts(COMMON);
  const acting = useMutation({ mutationFn: act, onSuccess: onDone });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      finalFocus={finalFocus}
      actions={
        <>
          <Button onClick={onClose}>{texts.back}</Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} isBusy={acting.isPending} onClick={() => acting.mutate()}>
            {action}
          </Button>
        </>
      }
    >
      <FormProblem error={acting.error} fields={[]} />
      <div>{lead}</div>
    </Dialog>
  );
}
