/** Sets up two-factor log-in: a QR code for the authenticator app, its first code, and then the recovery codes. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { withOwnPasskey } from '../other-ways.ts';
import { PasswordField } from '../password-field.tsx';
import { CodeField } from './code-field.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import styles from './second-factor.module.css';
import { SECOND_FACTOR } from './texts.ts';

interface SetUpProps {
  /** The recovery codes are kept. */
  onDone(): void;
  /** Missing where the user has to set it up. */
  onCancel?(): void;
  /** Another way to have a second factor, below the form. */
  otherWay?: ReactNode;
}

export function SetUp({ onDone, onCancel, otherWay }: SetUpProps): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const common = useTexts(COMMON);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begun = useQuery({
    queryKey: ['second-factor', 'begun'],
    queryFn: () => parley.auth.beginSecondFactor(),
    // Each request makes another secret.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const enable = useMutation({
    mutationFn: () => withOwnPasskey((more) => parley.auth.enableSecondFactor({ password, code, ...more })),
  });
  if (enable.data) return <RecoveryCodes codes={enable.data.recovery_codes} onKept={onDone} />;
  if (!begun.data)
    return begun.error ? <Failure error={begun.error} onRetry={() => void begun.refetch()} /> : <Loading />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enable.mutate();
  };
  return (
    <>
      <form className={styles['steps']} onSubmit={submit}>
        <p>{texts.scan}</p>
        <QrCode text={begun.data.uri} label={texts.qrCode} />
        <CopyField label={texts.secret} value={begun.data.secret} />
        <FormProblem error={enable.error} fields={['password', 'code']} />
        <PasswordField value={password} onChange={setPassword} error={enable.error} autoFocus />
        <CodeField
          label={texts.code}
          hint={texts.codeHint}
          value={code}
          onChange={setCode}
          error={explainField(enable.error, 'code') && texts.wrongCode}
        />
        <div className={styles['actions']}>
          <Button kind="primary" type="submit" isBusy={enable.isPending}>
            {texts.turnOn}
          </Button>
          {onCancel && <Button onClick={onCancel}>{common.cancel}</Button>}
        </div>
      </form>
      {otherWay}
    </>
  );
}
