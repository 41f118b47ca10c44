/** The form that logs a person in, or sends the mail with which a forgotten password is set anew. */
import { isParleyError } from '@parley/sdk';
import { useState, type FormEvent, type ReactElement } from 'react';
import { parley } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { explainError } from '../ui/problem.ts';
import { useTitle } from '../ui/title.ts';
import { CardPage } from './card-page.tsx';
import styles from './log-in.module.css';
import { CodeField } from './second-factor/code-field.tsx';
import { logIn } from './session.ts';
import { LOG_IN } from './texts.ts';

type Step = 'PASSWORD' | 'CODE' | 'LOST';

export function LogIn(): ReactElement {
  const texts = useTexts(LOG_IN);
  const [step, setStep] = useState<Step>('PASSWORD');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  useTitle(texts.title);
  const fields = { email, onEmail: setEmail, password, onPassword: setPassword };
  return (
    <CardPage>
      {step === 'PASSWORD' && <LogInForm {...fields} onCodeAsked={() => setStep('CODE')} />}
      {step === 'CODE' && <CodeForm email={email} password={password} />}
      {step === 'LOST' && <LostForm email={email} onEmail={setEmail} />}
      <Button kind="quiet" onClick={() => setStep(step === 'PASSWORD' ? 'LOST' : 'PASSWORD')}>
        {step === 'PASSWORD' ? texts.lost : texts.toLogIn}
      </Button>
    </CardPage>
  );
}

interface FormProps {
  email: string;
  onEmail(email: string): void;
}

interface LogInFormProps extends FormProps {
  password: string;
  onPassword(password: string): void;
  /** The password is right, and a code is needed as well. */
  onCodeAsked(): void;
}

interface Action {
  isBusy: boolean;
  error: unknown;
  run(event: FormEvent): void;
  /** Forgets the error, because something else is asked for now. */
  clear(): void;
}

/** Runs what a form is for, and holds its error. */
function useAction(act: () => Promise<unknown>): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await act();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    error,
    run: (event) => {
      event.preventDefault();
      void run();
    },
    clear: () => setError(null),
  };
}

function EmailField({ email, onEmail }: FormProps): ReactElement {
  const texts = useTexts(LOG_IN);
  return (
    <TextField
      label={texts.email}
      type="email"
      autoComplete="username"
      autoCapitalize="none"
      autoFocus
      required
      value={email}
      onChange={onEmail}
    />
  );
}

const asksForCode = (error: unknown): boolean =>
  isParleyError(error) && error.code === 'SECOND_FACTOR_REQUIRED' && error.problem?.errors[0]?.code === 'REQUIRED';

function LogInForm({ email, onEmail, password, onPassword, onCodeAsked }: LogInFormProps): ReactElement {
  const texts = useTexts(LOG_IN);
  const { isBusy, error, run } = useAction(async () => {
    try {
      await logIn({ email, password });
    } catch (cause) {
      if (!asksForCode(cause)) throw cause;
      onCodeAsked();
    }
  });
  return (
    <form className={styles['form']} onSubmit={run}>
      <h1>{texts.title}</h1>
      <EmailField email={email} onEmail={onEmail} />
      <TextField
        label={texts.password}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={onPassword}
        error={error === null ? null : explainError(error)}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {texts.logIn}
      </Button>
    </form>
  );
}

/** The second step of a log-in. */
function CodeForm({ email, password }: { email: string; password: string }): ReactElement {
  const texts = useTexts(LOG_IN);
  const [code, setCode] = useState('');
  const [takesRecovery, setRecovery] = useState(false);
  const { isBusy, error, run, clear } = useAction(() => logIn({ email, password, code }));
  return (
    <form className={styles['form']} onSubmit={run}>
      <h1>{texts.codeTitle}</h1>
      <CodeField
        key={String(takesRecovery)}
        label={takesRecovery ? texts.recoveryCode : texts.code}
        hint={takesRecovery ? texts.recoveryHint : texts.codeHint}
        takesRecovery={takesRecovery}
        value={code}
        onChange={setCode}
        error={error === null ? null : explainError(error)}
        autoFocus
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {texts.logIn}
      </Button>
      <Button
        onClick={() => {
          setCode('');
          clear();
          setRecovery(!takesRecovery);
        }}
      >
        {takesRecovery ? texts.useApp : texts.useRecovery}
      </Button>
    </form>
  );
}

function LostForm({ email, onEmail }: FormProps): ReactElement {
  const texts = useTexts(LOG_IN);
  const [isSent, setSent] = useState(false);
  const { isBusy, error, run } = useAction(async () => {
    await parley.auth.forgotPassword({ email });
    setSent(true);
  });
  if (isSent) return <p role="status">{texts.sent(email)}</p>;
  return (
    <form className={styles['form']} onSubmit={run}>
      <h1>{texts.lostTitle}</h1>
      <p className={styles['lead']}>{texts.lostLead}</p>
      <EmailField email={email} onEmail={onEmail} />
      {error !== null && (
        <p className={styles['error']} role="alert">
          {explainError(error)}
        </p>
      )}
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {texts.sendLink}
      </Button>
    </form>
  );
}
