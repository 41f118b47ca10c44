/** The signature below the mails that the user writes. */
import type { User } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved, useKeptForm } from '../../ui/kept-form.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { showNotice } from '../../ui/toast.tsx';
import { showUser } from '../users/user-list.ts';
import styles from './profile.module.css';
import { PROFILE } from './texts.ts';

interface SignatureForm {
  signature: string;
}

const toForm = (user: Pick<User, 'signature'>): SignatureForm => ({ signature: user.signature ?? '' });

const toSignature = ({ signature }: SignatureForm): string | null => (signature.trim() === '' ? null : signature);

export function Signature(): ReactElement {
  const texts = useTexts(PROFILE);
  const { user } = useSession();
  const { form, changes, change, discard, settle } = useKeptForm('signature', user, toForm);
  const save = useMutation({
    mutationFn: (sent: SignatureForm) => parley.auth.updateMe({ signature: toSignature(sent) }),
    onSuccess: (changed, sent) => {
      showUser(changed);
      settle(sent);
      showNotice(texts.saved);
    },
  });
  return (
    <Card title={texts.signature}>
      <FormProblem error={save.error} fields={['signature']} />
      <TextArea
        label={texts.signature}
        hint={texts.signatureHint}
        rows={3}
        maxLength={2_000}
        value={form.signature}
        onChange={(text) => change({ signature: text })}
        error={explainField(save.error, 'signature')}
      />
      <div className={styles['buttons']}>
        <Button
          kind="primary"
          isBusy={save.isPending}
          disabled={toSignature(form) === user.signature}
          onClick={() => save.mutate(form)}
        >
          {texts.save}
        </Button>
        <Unsaved changes={changes} isBusy={save.isPending} onDiscard={discard} />
      </div>
    </Card>
  );
}
