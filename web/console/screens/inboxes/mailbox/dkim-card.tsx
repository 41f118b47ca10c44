/** Signs what the mailbox sends by a key of the company's domain (DKIM). */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showInbox } from '../../../records/inboxes.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Card } from '../../../ui/page.tsx';
import { showError } from '../../../ui/toast.tsx';
import styles from '../inboxes.module.css';
import { makeDkimKey, type DkimKey } from './dkim-key.ts';
import { DKIM } from './dkim-texts.ts';

type MailConfig = NonNullable<Inbox['email_config']>;
type Signature = Pick<MailConfig, 'dkim_domain' | 'dkim_selector' | 'dkim_private_key'>;

const UNSIGNED: Signature = { dkim_domain: null, dkim_selector: null, dkim_private_key: null };

export function DkimCard({ inbox, config }: { inbox: Inbox; config: MailConfig }): ReactElement {
  const texts = useTexts(DKIM);
  const may = useMay('inboxes:update');
  const domain = config.address.slice(config.address.lastIndexOf('@') + 1);
  // A key is used only after its record can be found, so it is shown before it is saved.
  const [key, showKey] = useState<DkimKey | null>(null);
  const make = useMutation({ mutationFn: () => makeDkimKey(), onSuccess: showKey, onError: showError });
  const change = useMutation({
    mutationFn: (signature: Signature) =>
      parley.inboxes.update(inbox._id, { email_config: { ...config, ...signature } }),
    onSuccess: (saved) => {
      showInbox(saved);
      showKey(null);
    },
    onError: showError,
  });
  const selector = config.dkim_domain ? config.dkim_selector : null;
  const sign = ({ selector: dkim_selector, privateKey: dkim_private_key }: DkimKey): void =>
    change.mutate({ dkim_domain: domain, dkim_selector, dkim_private_key });
  return (
    <Card title={texts.title}>
      <p className={styles['hint']}>
        {selector ? texts.signed(`${selector}._domainkey.${config.dkim_domain}`) : texts.unsigned}
      </p>
      {key && (
        <>
          <CopyField label={texts.name} value={`${key.selector}._domainkey.${domain}`} />
          <CopyField label={texts.value} value={key.record} hint={texts.valueHint} />
        </>
      )}
      {may && (
        <div className={styles['actions']}>
          {key ? (
            <Button kind="primary" isBusy={change.isPending} onClick={() => sign(key)}>
              {texts.sign}
            </Button>
          ) : (
            <Button icon="key" isBusy={make.isPending} onClick={() => make.mutate()}>
              {selector ? texts.renew : texts.make}
            </Button>
          )}
          {selector && (
            <ConfirmButton
              label={texts.end}
              question={texts.reallyEnd}
              isBusy={change.isPending}
              onConfirm={() => change.mutate(UNSIGNED)}
            />
          )}
        </div>
      )}
    </Card>
  );
}
