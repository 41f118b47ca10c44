/** The address at which a mail server hands over mails as they arrive, beside the mailbox that the platform reads or in its place. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley, toPlatformAddress } from '../../../client.ts';
import { showInbox } from '../../../records/inboxes.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Card } from '../../../ui/page.tsx';
import { showError } from '../../../ui/toast.tsx';
import styles from '../inboxes.module.css';
import { makeSecret } from '../web-chat/draft.ts';
import { PUSH } from './push-texts.ts';

type MailConfig = NonNullable<Inbox['email_config']>;

export function PushCard({ inbox, config }: { inbox: Inbox; config: MailConfig }): ReactElement {
  const texts = useTexts(PUSH);
  const may = useMay('inboxes:update');
  // A new secret is shown once. Afterwards the platform shows only a mask.
  const [secret, showSecret] = useState<string | null>(null);
  const change = useMutation({
    mutationFn: (hook_secret: string | null) =>
      parley.inboxes.update(inbox._id, { email_config: { ...config, hook_secret } }),
    onSuccess: (saved, hook_secret) => {
      showInbox(saved);
      showSecret(hook_secret);
    },
    onError: showError,
  });
  const isOpen = (config.hook_secret ?? null) !== null;
  return (
    <Card title={texts.title}>
      <p className={styles['hint']}>{isOpen ? texts.open : texts.closed}</p>
      {isOpen && <CopyField label={texts.address} value={toPlatformAddress(`hooks/email/${inbox._id}`)} />}
      {secret !== null && <CopyField label={texts.secret} value={secret} hint={texts.secretHint} />}
      {may && (
        <div className={styles['actions']}>
          <Button icon="key" isBusy={change.isPending} onClick={() => change.mutate(makeSecret())}>
            {isOpen ? texts.renew : texts.begin}
          </Button>
          {isOpen && config.imap_url && (
            <ConfirmButton
              label={texts.end}
              question={texts.reallyEnd}
              isBusy={change.isPending}
              onConfirm={() => change.mutate(null)}
            />
          )}
        </div>
      )}
    </Card>
  );
}
