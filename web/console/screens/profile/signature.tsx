/** The signature below the mails that the user writes. */
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { showNotice } from '../../ui/toast.tsx';
import { showUser } from '../users/user-list.ts';
import { PROFILE } from './texts.ts';

export function Signature(): ReactElement {
  const texts = useTexts(PROFILE);
  const { user } = useSession();
  const [typed, type] = useState(user.signature ?? '');
  const signature = typed.trim() === '' ? null : typed;
  const save = useMutation({
    mutationFn: () => parley.auth.updateMe({ signature }),
    onSuccess: (changed) => {
      showUser(changed);
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
        value={typed}
        onChange={type}
        error={explainField(save.error, 'signature')}
      />
      <div>
        <Button
          kind="primary"
          isBusy={save.isPending}
          disabled={signature === user.signature}
          onClick={() => save.mutate()}
        >
          {texts.save}
        </Button>
      </div>
    </Card>
  );
}
