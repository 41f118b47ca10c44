/** What is known of an access to the company, such as an API key, and its revocation. */
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Details, type Detail } from './details.tsx';
import { Dialog } from './dialog.tsx';
import { COMMON } from './texts.ts';
import { showError, showNotice } from './toast.tsx';

interface AccessDialogProps {
  title: string;
  items: readonly Detail[];
  texts: Record<'revoke' | 'reallyRevoke' | 'revokedNow', string>;
  mayRevoke: boolean;
  revoke(): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}

export function AccessDialog(props: AccessDialogProps): ReactElement {
  const { title, items, texts, mayRevoke, revoke, onClose, children } = props;
  const common = useTexts(COMMON);
  const revoking = useMutation({
    mutationFn: revoke,
    onSuccess: () => {
      showNotice(texts.revokedNow);
      onClose();
    },
    onError: showError,
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {mayRevoke && (
            <ConfirmButton
              label={texts.revoke}
              question={texts.reallyRevoke}
              isBusy={revoking.isPending}
              onConfirm={() => revoking.mutate()}
            />
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <Details layout="lines" items={items} />
      {children}
    </Dialog>
  );
}
