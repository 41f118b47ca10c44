/** The form that logs a person in, or sends the mail with which a forgotten password is set anew. */
import { useState, type FormEvent, type ReactElement } from 'react';
import { parley } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { explainError } from '../ui/problem.ts';
import { useTitle } from '../ui/title.ts';
import { CardPage } from './card-page.tsx';
import styles from './log-in.module.css';
import { logIn } from './session.ts';
import { LOG_IN } from './texts.ts';

export function LogIn(): ReactElement {
  const texts = useTexts(LOG_IN);
  const [isLost, setLost] = useState(false);
  const [email, setEmail] = useState('');
  useTitle(texts.title);
  const Form = isLost ? LostForm : LogInForm;
  return (
    <CardPage>
      <Form email={email} onEmail={setEmail} />
      <Button kind="quiet" onClick={() => setLost(!isLost)}>
        {isLost ? texts.toLogIn : texts.lost}
      </Button>
    </CardPage>
  );
}

interface FormProps {
  email: string;
  onEmail(email: string): void;
}

/** Runs what a form is for, and holds its error. */
function useAction(act: () => Promise<unknown>): { isBusy: boolean; error: unknown; run(event: FormEvent): void } {
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

function LogInForm({ email, onEmail }: FormProps): ReactElement {
  const texts = useTexts(LOG_IN);
  const [password, setPassword] = useState('');
  const { isBusy, error, run } = useAction(() => logIn(email, password));
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
        onChange={setPassword}
        error={error === null ? null : explainError(error)}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {texts.logIn}
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
