/** Adds tags to a conversation and removes them. */
import { useState, type ReactElement } from 'react';
import { endAskedDialog } from '../../../frame/conversation-dialogs.ts';
import { findReturn } from '../../../frame/writing.ts';
import { useConversation } from '../../../records/conversations.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { TagList, useTagChange } from './panel/tags.tsx';
import { THREAD } from './texts.ts';

export function TagsDialog({ conversation: id }: { conversation: string }): ReactElement | null {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const { data: conversation } = useConversation(id);
  const [typed, type] = useState('');
  const { add } = useTagChange(conversation);
  if (!conversation) return null;
  return (
    <Dialog
      title={texts.tags}
      onClose={endAskedDialog}
      finalFocus={findReturn}
      actions={
        <>
          <Button onClick={endAskedDialog}>{common.close}</Button>
          <Button
            kind="primary"
            disabled={typed.trim() === ''}
            onClick={() => {
              add(typed);
              type('');
            }}
          >
            {texts.addTag}
          </Button>
        </>
      }
    >
      <TextField label={texts.addTag} value={typed} maxLength={100} onChange={type} />
      <TagList conversation={conversation} />
    </Dialog>
  );
}
