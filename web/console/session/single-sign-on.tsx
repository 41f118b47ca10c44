/** Single sign-on on the log-in page: the address of the person, and the way back from the provider. */
import type { PasskeyAnswer } from '@parley/sdk';
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { explainError } from '../ui/problem.ts';
import { Loading } from '../ui/state.tsx';
import { useTitle } from '../ui/title.ts';
import { CardPage } from './card-page.tsx';
import { asksForFactor, listFactors, type Factor } from './factors.ts';
import styles from './log-in.module.css';
import { askForPasskey, findCompany, findReason, goToProvider, takeAnswer, takeReturnPath } from './other-ways.ts';
import { CodeField } from './second-factor/code-field.tsx';
import { readSession } from './session.ts';
import { LOG_IN } from './texts.ts';
import { REASONS, SINGLE_SIGN_ON } from './single-sign-on-texts.ts';

function useExplain(): (error: unknown) => string {
  const reasons = new Map<string, string>(Object.entries(useTexts(REASONS)));
  return (error) => reasons.get(findReason(error) ?? '') ?? explainError(error);
}

/** Asks for the address, whose domain names the provider. A link that names the company leads there at once. */
export function SingleSignOnForm({ email, onEmail }: { email: string; onEmail(email: string): void }): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON);
  const words = useTexts(LOG_IN);
  const explain = useExplain();
  const company = findCompany();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const go = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await goToProvider(company === null ? { email } : { company });
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };
  return (
    <form className={styles['form']} onSubmit={(event) => void go(event)}>
      <h1>{texts.title}</h1>
      <p className={styles['lead']}>{texts.lead}</p>
      {company === null && (
        <TextField
          label={words.email}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          required
          value={email}
          onChange={onEmail}
        />
      )}
      {error !== null && (
        <p className={styles['error']} role="alert">
          {explain(error)}
        </p>
      )}
      <Button kind="primary" type="submit" isBusy={isBusy} autoFocus={company !== null}>
        {texts.goOn}
      </Button>
    </form>
  );
}

/** The page to which the provider sends the browser back. */
export function SingleSignOnReturn(): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON);
  const words = useTexts(LOG_IN);
  const explain = useExplain();
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>(null);
  const [factors, setFactors] = useState<Factor[]>([]);
  const isPasskeyAlone = factors.length === 1 && factors[0] === 'passkey';
  const query = useRef<string | null>(null);
  const isBegun = useRef(false);
  useTitle(texts.title);
  const finish = async (given: { query?: string; code?: string; passkey?: PasskeyAnswer }): Promise<void> => {
    try {
      await parley.auth.openSessionBySingleSignOn(given);
      await readSession();
      navigate(takeReturnPath(), { replace: true });
    } catch (cause) {
      setError(cause);
      const asked = listFactors(cause);
      if (asked.length > 0) setFactors(asked);
    }
  };
  useEffect(() => {
    // The answer counts once, and React runs an effect twice while it is developed.
    if (isBegun.current) return;
    isBegun.current = true;
    query.current = takeAnswer();
    if (query.current === null) navigate('/', { replace: true });
    else void finish({ query: query.current });
  });
  if (error === null) return <Loading />;
  return (
    <CardPage>
      {asksForFactor(error) ? (
        <>
          {!isPasskeyAlone && <ReturnCode error={error} onCode={(code) => finish({ code })} />}
          {factors.includes('passkey') && (
            <ReturnPasskey isOnlyWay={isPasskeyAlone} onPasskey={(passkey) => finish({ passkey })} />
          )}
        </>
      ) : (
        <>
          <h1>{texts.failed}</h1>
          <p role="alert">{explain(error)}</p>
          <Button kind="primary" autoFocus onClick={() => navigate('/', { replace: true })}>
            {words.toLogIn}
          </Button>
        </>
      )}
    </CardPage>
  );
}

/** Asks for the passkey that the company wants in addition to its provider. */
function ReturnPasskey({
  isOnlyWay,
  onPasskey,
}: {
  isOnlyWay: boolean;
  onPasskey(passkey: PasskeyAnswer): Promise<void>;
}): ReactElement {
  const words = useTexts(LOG_IN);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(null);
    try {
      await onPasskey(await askForPasskey());
      setProblem(words.unknownPasskey);
    } catch (cause) {
      setProblem(cause instanceof DOMException ? words.noPasskey : explainError(cause));
    }
  };
  return (
    <form className={styles['form']} onSubmit={(event) => void submit(event)}>
      {isOnlyWay && <h1>{words.passkeyTitle}</h1>}
      {problem !== null && (
        <p className={styles['error']} role="alert">
          {problem}
        </p>
      )}
      <Button kind={isOnlyWay ? 'primary' : 'plain'} icon="key" type="submit" autoFocus={isOnlyWay}>
        {words.usePasskey}
      </Button>
    </form>
  );
}

/** Asks for the code that the company wants in addition to its provider. */
function ReturnCode({ error, onCode }: { error: unknown; onCode(code: string): Promise<void> }): ReactElement {
  const words = useTexts(LOG_IN);
  const [code, setCode] = useState('');
  const [isSent, setSent] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await onCode(code);
    setSent(true);
  };
  return (
    <form className={styles['form']} onSubmit={(event) => void submit(event)}>
      <h1>{words.codeTitle}</h1>
      <CodeField
        label={words.code}
        hint={words.anyCodeHint}
        takesRecovery
        value={code}
        onChange={setCode}
        error={isSent ? explainError(error) : null}
        autoFocus
      />
      <Button kind="primary" type="submit">
        {words.logIn}
      </Button>
    </form>
  );
}
