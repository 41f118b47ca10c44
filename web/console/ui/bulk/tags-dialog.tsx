/** Adds tags to the selected conversations and takes others away. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { readTags } from '../actions/action-kinds.ts';
import { TextField } from '../field.tsx';
import { COMMON } from '../texts.ts';
import { BULK } from './texts.ts';

interface TagsDialogProps {
  apply(change: { add_tags?: string[]; remove_tags?: string[] }): void;
  onClose(): void;
}

export function TagsDialog({ apply, onClose }: TagsDialogProps): ReactElement {
  const texts = useTexts(BULK);
  const common = useTexts(COMMON);
  const [added, setAdded] = useState('');
  const [removed, setRemoved] = useState('');
  const change = {
    ...(readTags(added).length > 0 && { add_tags: readTags(added) }),
    ...(readTags(removed).length > 0 && { remove_tags: readTags(removed) }),
  };
  return (
    <Dialog
      title={texts.tags}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            disabled={Object.keys(change).length === 0}
            onClick={() => {
              onClose();
              apply(change);
            }}
          >
            {texts.change}
          </Button>
        </>
      }
    >
      <TextField label={texts.addTags} hint={texts.commas} value={added} onChange={setAdded} />
      <TextField label={texts.removeTags} value={removed} onChange={setRemoved} />
    </Dialog>
  );
}
