/** Writes a quick reply, changes it, or removes it. Who may not change it reads it. */
import type { QuickReply } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { forgetQuickReply, showQuickReply } from '../../records/quick-replies.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { AttachmentField } from './attachment-field.tsx';
import { ContentField } from './content-field.tsx';
import { REPLIES } from './texts.ts';

interface QuickReplyDialogProps {
  /** Null writes a new one. */
  reply: QuickReply | null;
  onClose(): void;
}

export function QuickReplyDialog({ reply, onClose }: QuickReplyDialogProps): ReactElement {
  const texts = useTexts(REPLIES);
  const common = useTexts(COMMON);
  const { user } = useSession();
  const mayShare = useMay('messages:update');
  const mayWrite = useMay('messages:create');
  const isLocked = !mayWrite || (reply?.owner === null && !mayShare);
  const [title, setTitle] = useState(reply?.title ?? '');
  const [shortcut, setShortcut] = useState(reply?.shortcut ?? '');
  const [content, setContent] = useState(reply?.content ?? '');
  const [attachment, setAttachment] = useState(reply?.attachment ?? null);
  const [owner, setOwner] = useState(reply ? reply.owner : mayShare ? null : user._id);
  const save = useMutation({
    mutationFn: () => {
      const body = { title, shortcut, content, attachment };
      return reply ? parley.quickReplies.update(reply._id, body) : parley.quickReplies.create({ ...body, owner });
    },
    onSuccess: (saved) => {
      showQuickReply(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  const { error } = save;
  const audiences = [
    { value: 'SHARED', label: texts.SHARED },
    { value: 'PERSONAL', label: texts.PERSONAL },
  ] as const;
  return (
    <Dialog
      title={reply?.title ?? texts.create}
      onClose={onClose}
      actions={
        !isLocked && (
          <>
            {reply && <RemoveReply reply={reply} onRemoved={onClose} />}
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
              {reply ? common.save : common.create}
            </Button>
          </>
        )
      }
    >
      <FormProblem error={error} fields={['title', 'shortcut', 'content']} />
      <TextField
        label={texts.title}
        value={title}
        disabled={isLocked}
        onChange={setTitle}
        error={explainField(error, 'title')}
      />
      <TextField
        label={texts.shortcut}
        hint={texts.shortcutHint}
        value={shortcut}
        disabled={isLocked}
        onChange={setShortcut}
        error={explainField(error, 'shortcut')}
      />
      <ContentField value={content} isLocked={isLocked} onChange={setContent} error={explainField(error, 'content')} />
      {!isLocked && <AttachmentField attachment={attachment} onChange={setAttachment} />}
      <SelectField
        label={texts.audience}
        hint={!reply && texts.audienceHint}
        value={owner === null ? 'SHARED' : 'PERSONAL'}
        options={audiences}
        disabled={reply !== null || !mayShare}
        onChange={(chosen) => setOwner(chosen === 'SHARED' ? null : user._id)}
      />
    </Dialog>
  );
}

function RemoveReply({ reply, onRemoved }: { reply: QuickReply; onRemoved(): void }): ReactElement {
  const texts = useTexts(REPLIES);
  return (
    <RemoveButton
      remove={() => parley.quickReplies.delete(reply._id)}
      onRemoved={() => {
        forgetQuickReply(reply._id);
        showNotice(texts.removed(reply.title));
        onRemoved();
      }}
    />
  );
}
