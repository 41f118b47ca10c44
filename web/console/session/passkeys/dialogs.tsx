/** The dialogs that add and change the user's own passkeys. */
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { isKnownHere, isNotChosen, makePasskey, withOwnPasskey } from '../other-ways.ts';
import { PasswordField } from '../password-field.tsx';
import { CodeField } from '../second-factor/code-field.tsx';
import { LOG_IN } from '../texts.ts';
import { suggestName } from './suggest-name.ts';
import { PASSKEYS } from './texts.ts';

/** Returns what the browser's own refusals mean, and every other error as it is. */
function useExplain(): (error: unknown) => unknown {
  const texts = useTexts(PASSKEYS);
  return (error) => (isKnownHere(error) ? texts.knownHere : isNotChosen(error) ? texts.notMade : error);
}

export interface Given {
  name: string;
  password: string;
  /** A code of the authenticator app, of a person who has one. */
  code?: string;
}

interface ActDialogProps {
  title: string;
  lead?: string;
  action: string;
  /** The name to begin with; null where no name is asked for. */
  name: string | null;
  hasPassword: boolean;
  act(given: Given): Promise<unknown>;
  /** What a notice says afterwards; null for none. */
  done: string | null;
  onDone(): Promise<unknown>;
  onClose(): void;
}

/** Asks for what an act needs: a name, or the password because an unattended browser must not be enough. */
export function ActDialog({
  title,
  lead,
  action,
  name: before,
  hasPassword,
  act,
  done,
  onDone,
  onClose,
}: ActDialogProps): ReactElement {
  const texts = useTexts(PASSKEYS);
  const common = useTexts(COMMON);
  const [name, setName] = useState(before ?? '');
  const logIn = useTexts(LOG_IN);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const explain = useExplain();
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => act({ name, password, ...(code !== '' && { code }) }),
    onSuccess: () => {
      onClose();
      if (done !== null) showNotice(done);
      void onDone();
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            isBusy={isPending}
            disabled={(before !== null && name === '') || (hasPassword && password === '')}
            onClick={() => mutate()}
          >
            {action}
          </Button>
        </>
      }
    >
      {lead !== undefined && <p>{lead}</p>}
      <FormProblem error={explain(error)} fields={['name', 'password', 'code']} />
      {before !== null && (
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onChange={setName}
          // A suggested name is replaced by what is typed.
          onFocus={({ target }) => target.select()}
          error={explainField(error, 'name')}
        />
      )}
      {hasPassword && <PasswordField value={password} onChange={setPassword} error={error} />}
      {(code !== '' || explainField(error, 'code') !== null) && (
        <CodeField
          label={logIn.code}
          hint={logIn.anyCodeHint}
          takesRecovery
          value={code}
          onChange={setCode}
          error={explainField(error, 'code')}
        />
      )}
    </Dialog>
  );
}

/** Adds a passkey. It begins with a name for this browser. */
export function AddPasskey({ onDone, onClose }: Pick<ActDialogProps, 'onDone' | 'onClose'>): ReactElement {
  const texts = useTexts(PASSKEYS);
  const act = async ({ name, ...proof }: Given): Promise<unknown> => {
    const credential = await withOwnPasskey((more) => makePasskey({ ...proof, ...more }));
    return parley.auth.createPasskey({ name, credential });
  };
  const words = { title: texts.add, action: texts.goOn, done: texts.added };
  return <ActDialog {...words} name={suggestName()} hasPassword act={act} {...{ onDone, onClose }} />;
}
