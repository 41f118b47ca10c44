/** The user's own two-factor log-in: set up, with new recovery codes, or turned off. */
import type { SecondFactor } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { PasswordField } from '../../session/password-field.tsx';
import { PasswordFirst } from '../../session/password-link.tsx';
import { CodeField } from '../../session/second-factor/code-field.tsx';
import { RecoveryCodes } from '../../session/second-factor/recovery-codes.tsx';
import styles from '../../session/second-factor/second-factor.module.css';
import { SetUp } from '../../session/second-factor/set-up.tsx';
import { rereadSecondFactor, useSecondFactor } from '../../session/second-factor/state.ts';
import { SECOND_FACTOR } from '../../session/second-factor/texts.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';

export function SecondFactorCard(): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const { data, error, refetch } = useSecondFactor();
  // The set-up stays until the recovery codes are kept, although the second factor is on before.
  const [step, go] = useState<'BEGIN' | 'SET_UP' | 'CANCELLED'>('BEGIN');
  const close = (): void => {
    go('BEGIN');
    void rereadSecondFactor();
  };
  const off = data?.has_password ? (
    <TurnedOff isCancelled={step === 'CANCELLED'} onSetUp={() => go('SET_UP')} />
  ) : (
    <>
      <p>{texts.lead}</p>
      <PasswordFirst />
    </>
  );
  return (
    <Card title={texts.title}>
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {step === 'SET_UP' && <SetUp onDone={close} onCancel={() => go('CANCELLED')} />}
      {step !== 'SET_UP' && data && (data.enabled ? <TurnedOn {...data} /> : off)}
    </Card>
  );
}

/** `isCancelled`: the set-up was cancelled, and the focus returns to the button that began it. */
function TurnedOff({ isCancelled, onSetUp }: { isCancelled: boolean; onSetUp(): void }): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  return (
    <>
      <p>{texts.lead}</p>
      <div>
        <Button autoFocus={isCancelled} onClick={onSetUp}>
          {texts.setUp}
        </Button>
      </div>
    </>
  );
}

function TurnedOn({ recovery_codes_left: left }: SecondFactor): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const [asked, ask] = useState<'NEW_CODES' | 'TURN_OFF' | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) {
    const forget = (): void => {
      setCodes(null);
      void rereadSecondFactor();
    };
    return <RecoveryCodes codes={codes} onKept={forget} />;
  }
  return (
    <>
      <p className={styles['actions']}>
        <Badge tone="good">{texts.isOn}</Badge> {texts.codesLeft(left)}
      </p>
      <div className={styles['actions']}>
        <Button onClick={() => ask('NEW_CODES')}>{texts.newCodes}</Button>
        <Button onClick={() => ask('TURN_OFF')}>{texts.turnOff}</Button>
      </div>
      {asked === 'NEW_CODES' && (
        <ProofDialog
          title={texts.newCodes}
          lead={texts.newCodesLead}
          action={texts.createCodes}
          act={(proof) => parley.auth.renewRecoveryCodes(proof)}
          onDone={(made) => setCodes(made.recovery_codes)}
          onClose={() => ask(null)}
        />
      )}
      {asked === 'TURN_OFF' && (
        <ProofDialog
          title={texts.turnOffTitle}
          lead={texts.turnOffLead}
          action={texts.turnOff}
          act={(proof) => parley.auth.disableSecondFactor(proof)}
          onDone={() => {
            showNotice(texts.isTurnedOff);
            void rereadSecondFactor();
          }}
          onClose={() => ask(null)}
        />
      )}
    </>
  );
}

interface ProofDialogProps<T> {
  title: string;
  lead: string;
  /** What the button says. */
  action: string;
  act(proof: { password: string; code: string }): Promise<T>;
  onDone(answer: T): void;
  onClose(): void;
}

/** Asks for the password and a code, because an unattended browser must not be enough. */
function ProofDialog<T>({ title, lead, action, act, onDone, onClose }: ProofDialogProps<T>): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const common = useTexts(COMMON);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => act({ password, code }),
    onSuccess: (answer) => {
      onClose();
      onDone(answer);
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
            {action}
          </Button>
        </>
      }
    >
      <p>{lead}</p>
      <FormProblem error={error} fields={['password', 'code']} />
      <PasswordField value={password} onChange={setPassword} error={error} />
      <CodeField
        label={texts.code}
        hint={texts.proofHint}
        takesRecovery
        value={code}
        onChange={setCode}
        error={explainField(error, 'code') && texts.wrongCode}
      />
    </Dialog>
  );
}
