/** The dialog in which a record is made that has a name: what is asked for, what the platform refuses, and the button. */
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { FormProblem } from './form-problem.tsx';
import { explainField } from './problem.ts';
import { COMMON } from './texts.ts';

interface CreateDialogProps {
  title: string;
  lead?: string;
  /** The text of the button that makes the record. */
  create: string;
  /** What the record is called, with the texts of its field. */
  name: { label: string; hint?: string; value: string; onChange(name: string): void };
  mutation: Pick<UseMutationResult<unknown, Error, void>, 'error' | 'isPending' | 'mutate'>;
  /** The other fields that explain a refusal themselves, by their names in the request. */
  fields?: readonly string[];
  /** Goes back to the dialog before; without it the first button cancels. */
  onBack?(): void;
  onClose(): void;
  /** The other fields. */
  children?: ReactNode;
}

export function CreateDialog(props: CreateDialogProps): ReactElement {
  const { title, lead, create, name, mutation, fields = [], onBack, onClose, children } = props;
  const { error, isPending, mutate } = mutation;
  const common = useTexts(COMMON);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onBack ?? onClose}>{onBack ? common.back : common.cancel}</Button>
          <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
            {create}
          </Button>
        </>
      }
    >
      {lead !== undefined && <p>{lead}</p>}
      <FormProblem error={error} fields={['name', ...fields]} />
      <TextField {...name} error={explainField(error, 'name')} />
      {children}
    </Dialog>
  );
}
