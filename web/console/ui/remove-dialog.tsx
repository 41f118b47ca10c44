/** Says what the removal of a record means before it removes the record. */
import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { RemoveButton } from './remove-button.tsx';
import { COMMON } from './texts.ts';

interface RemoveDialogProps {
  title: string;
  /** What goes with the record, and what stays. */
  lead: string;
  remove(): Promise<unknown>;
  onRemoved(): void;
  onClose(): void;
}

export function RemoveDialog({ title, lead, remove, onRemoved, onClose }: RemoveDialogProps): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <RemoveButton remove={remove} onRemoved={onRemoved} />
        </>
      }
    >
      <p>{lead}</p>
    </Dialog>
  );
}
