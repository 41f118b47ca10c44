/** The form that logs a person in, or sends the mail with which a forgotten password is set anew. */
import { isParleyError } from '@parley/sdk';
import { Suspense, useState, type FormEvent, type MouseEvent, type ReactElement } from 'react';
import { parley } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { lazyPart, LoadingPart } from '../ui/lazy-part.tsx';
import { explainError } from '../ui/problem.ts';
import { useTitle } from '../ui/title.ts';
import { CardPage } from './card-page.tsx';
import { asksForFactor, listFactors, type Factor } from './factors.ts';
import styles from './log-in.module.css';
import { CodeField } from './second-factor/code-field.tsx';
import { logIn } from './session.ts';
import { LOG_IN } from './texts.ts';

type Step = 'PASSWORD' | 'FACTOR' | 'LOST' | 'SINGLE_SIGN_ON';

const SingleSignOnForm = lazyPart(async () => (await import('./single-sign-on.tsx')).SingleSignOnForm);

export function LogIn(): ReactElement {
  const texts = useTexts(LOG_IN);
  const [step, setStep] = useState<Step>('PASSWORD');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [factors, setFactors] = useState<Factor[]>([]);
  useTitle(texts.title);
  const fields = { email, onEmail: setEmail, password, onPassword: setPassword };
  return (
    <CardPage>
      {step === 'PASSWORD' && (
        <LogInForm
          {...fields}
          onFactorAsked={(asked) => {
            setFactors(asked);
            setStep('FACTOR');
          }}
        />
      )}
      {step === 'PASSWORD' && <OtherWays onSingleSignOn={() => setStep('SINGLE_SIGN_ON')} />}
      {step === 'SINGLE_SIGN_ON' && (
        <Suspense fallback={<LoadingPart />}>
          <SingleSignOnForm email={email} onEmail={setEmail} />
        </Suspense>
      )}
      {step === 'FACTOR' && factors.includes('code') && <CodeForm email={email} password={password} />}
      {step === 'FACTOR' && factors.includes('passkey') && (
        <PasskeyForm email={email} password={password} isOnlyWay={!factors.includes('code')} />
      )}
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
  /** The password is right, and one of these is needed as well. */
  onFactorAsked(factors: Factor[]): void;
}

interface Action {
  isBusy: boolean;
  error: unknown;
  run(event: FormEvent | MouseEvent): void;
  /** Forgets the error, because something else is asked for now. */
  clear(): void;
}

/** Runs what a form is for, and holds its error. An act can return words that say what has gone wrong. */
function useAction(act: () => Promise<unknown>): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const problem = await act();
      if (typeof problem === 'string') setError(problem);
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

function LogInForm({ email, onEmail, password, onPassword, onFactorAsked }: LogInFormProps): ReactElement {
  const texts = useTexts(LOG_IN);
  const { isBusy, error, run } = useAction(async () => {
    try {
      await logIn({ email, password });
    } catch (cause) {
      const factors = listFactors(cause);
      if (factors.length === 0) throw cause;
      onFactorAsked(factors);
    }
    return null;
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

/** The ways to log in without a password. What they need is loaded when one is chosen. */
function OtherWays({ onSingleSignOn }: { onSingleSignOn(): void }): ReactElement {
  const texts = useTexts(LOG_IN);
  const { isBusy, error, run } = useAction(async () => {
    const ways = await import('./other-ways.ts');
    if (!ways.canUsePasskeys()) return texts.noPasskeysHere;
    try {
      await ways.logInByPasskey();
    } catch (cause) {
      if (isParleyError(cause) && cause.code === 'INVALID_CREDENTIALS') return texts.unknownPasskey;
      if (!ways.isNotChosen(cause)) throw cause;
      return texts.noPasskey;
    }
    return null;
  });
  return (
    <div className={styles['ways']}>
      <Button icon="key" isBusy={isBusy} onClick={run}>
        {texts.byPasskey}
      </Button>
      <Button onClick={onSingleSignOn}>{texts.bySingleSignOn}</Button>
      {error !== null && (
        <p className={styles['error']} role="alert">
          {explainError(error)}
        </p>
      )}
    </div>
  );
}

interface PasskeyFormProps {
  email: string;
  password: string;
  /** The person has no authenticator app. */
  isOnlyWay: boolean;
}

/** The second step of a log-in with a passkey. */
function PasskeyForm({ email, password, isOnlyWay }: PasskeyFormProps): ReactElement {
  const texts = useTexts(LOG_IN);
  const { isBusy, error, run } = useAction(async () => {
    const ways = await import('./other-ways.ts');
    if (!ways.canUsePasskeys()) return texts.noPasskeysHere;
    try {
      await logIn({ email, password, passkey: await ways.askForPasskey() });
    } catch (cause) {
      if (asksForFactor(cause)) return texts.unknownPasskey;
      if (!ways.isNotChosen(cause)) throw cause;
      return texts.noPasskey;
    }
    return null;
  });
  return (
    <form className={styles['form']} onSubmit={run}>
      {isOnlyWay && <h1>{texts.passkeyTitle}</h1>}
      {isOnlyWay && <p className={styles['lead']}>{texts.passkeyLead}</p>}
      {error !== null && (
        <p className={styles['error']} role="alert">
          {explainError(error)}
        </p>
      )}
      <Button kind={isOnlyWay ? 'primary' : 'plain'} icon="key" type="submit" isBusy={isBusy} autoFocus={isOnlyWay}>
        {texts.usePasskey}
      </Button>
    </form>
  );
}

/** The second step of a log-in with a code. */
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
  const [isMailed, setMailed] = useState<boolean | null>(null);
  const { isBusy, error, run } = useAction(async () => {
    setMailed((await parley.auth.forgotPassword({ email })).mail_server);
  });
  if (isMailed !== null) return <p role="status">{isMailed ? texts.sent(email) : texts.written(email)}</p>;
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
