/** Asks for the tag by which the list is filtered. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FILTERS } from '../../ui/filters/texts.ts';
import { COMMON } from '../../ui/texts.ts';
import { INBOX } from './texts.ts';

interface TagDialogProps {
  onChoose(tag: string): void;
  onClose(): void;
}

export function TagDialog({ onChoose, onClose }: TagDialogProps): ReactElement {
  const texts = useTexts(INBOX);
  const filters = useTexts(FILTERS);
  const common = useTexts(COMMON);
  const [typed, type] = useState('');
  const tag = typed.trim();
  return (
    <Dialog
      title={texts.tagTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={tag === ''} onClick={() => onChoose(tag)}>
            {filters.apply}
          </Button>
        </>
      }
    >
      <TextField label={texts.tag} value={typed} maxLength={100} onChange={type} />
    </Dialog>
  );
}
