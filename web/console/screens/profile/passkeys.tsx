/** The user's own passkeys: added, renamed and removed. */
import type { Passkey } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';
import { canUsePasskeys, isNotChosen, makePasskey, withOwnPasskey } from '../../session/other-ways.ts';
import { CodeField } from '../../session/second-factor/code-field.tsx';
import { LOG_IN } from '../../session/texts.ts';
import { readSession } from '../../session/session.ts';
import { formatDate } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { PASSKEYS } from './passkey-texts.ts';
import styles from './profile.module.css';

const KEY = ['passkeys'] as const;
// A person has at most twenty.
const ALL = { limit: 100 };

/** Reads the list again, and the session, which shows whether the user has a second factor. */
const readAgain = (): Promise<unknown> => Promise.all([queries.invalidateQueries({ queryKey: KEY }), readSession()]);

type Asked = { kind: 'ADD' } | { kind: 'RENAME' | 'REMOVE'; passkey: Passkey };

export function PasskeysCard(): ReactElement {
  const texts = useTexts(PASSKEYS);
  const [asked, ask] = useState<Asked | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => parley.auth.listPasskeys(ALL, { signal }),
  });
  const close = (): void => ask(null);
  return (
    <Card title={texts.title}>
      <p>{texts.lead}</p>
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data?.result.length === 0 && <p>{texts.none}</p>}
      {data && data.result.length > 0 && (
        <ul className={styles['passkeys']} aria-label={texts.list}>
          {data.result.map((passkey) => (
            <PasskeyItem key={passkey._id} passkey={passkey} onAsk={(kind) => ask({ kind, passkey })} />
          ))}
        </ul>
      )}
      {canUsePasskeys() ? (
        <div>
          <Button icon="key" onClick={() => ask({ kind: 'ADD' })}>
            {texts.add}
          </Button>
        </div>
      ) : (
        <p>{texts.notHere}</p>
      )}
      {asked?.kind === 'ADD' && <AddDialog onClose={close} />}
      {asked?.kind === 'RENAME' && <RenameDialog passkey={asked.passkey} onClose={close} />}
      {asked?.kind === 'REMOVE' && <RemoveDialog passkey={asked.passkey} onClose={close} />}
    </Card>
  );
}

function PasskeyItem({ passkey, onAsk }: { passkey: Passkey; onAsk(kind: 'RENAME' | 'REMOVE'): void }): ReactElement {
  const texts = useTexts(PASSKEYS);
  const { name, createdAt, last_used_at: used } = passkey;
  return (
    <li>
      <span>
        <strong>{name}</strong>
        <br />
        {texts.created(formatDate(createdAt))}, {used === null ? texts.neverUsed : texts.lastUsed(formatDate(used))}
      </span>
      <Button aria-label={`${texts.rename}: ${name}`} onClick={() => onAsk('RENAME')}>
        {texts.rename}
      </Button>
      <Button aria-label={`${texts.remove}: ${name}`} onClick={() => onAsk('REMOVE')}>
        {texts.remove}
      </Button>
    </li>
  );
}

interface Given {
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
  done: string | null;
  onClose(): void;
}

/** Asks for what an act needs: a name, or the password because an unattended browser must not be enough. */
function ActDialog({
  title,
  lead,
  action,
  name: before,
  hasPassword,
  act,
  done,
  onClose,
}: ActDialogProps): ReactElement {
  const texts = useTexts(PASSKEYS);
  const common = useTexts(COMMON);
  const [name, setName] = useState(before ?? '');
  const logIn = useTexts(LOG_IN);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => act({ name, password, ...(code !== '' && { code }) }),
    onSuccess: () => {
      onClose();
      if (done !== null) showNotice(done);
      void readAgain();
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
      <FormProblem error={isNotChosen(error) ? texts.notMade : error} fields={['name', 'password', 'code']} />
      {before !== null && (
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onChange={setName}
          error={explainField(error, 'name')}
        />
      )}
      {hasPassword && (
        <TextField
          label={texts.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          error={explainField(error, 'password') && texts.wrongPassword}
        />
      )}
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

function AddDialog({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(PASSKEYS);
  const act = async ({ name, ...proof }: Given): Promise<unknown> => {
    const credential = await withOwnPasskey((more) => makePasskey({ ...proof, ...more }));
    return parley.auth.createPasskey({ name, credential });
  };
  const words = { title: texts.add, action: texts.goOn, done: texts.added };
  return <ActDialog {...words} name="" hasPassword act={act} onClose={onClose} />;
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }): ReactElement {
  const texts = useTexts(PASSKEYS);
  const act = ({ name }: { name: string }): Promise<unknown> => parley.auth.renamePasskey(passkey._id, { name });
  const words = { title: texts.rename, action: texts.save, done: null };
  return <ActDialog {...words} name={passkey.name} hasPassword={false} act={act} onClose={onClose} />;
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }): ReactElement {
  const texts = useTexts(PASSKEYS);
  const act = ({ name: _name, ...proof }: Given): Promise<unknown> =>
    withOwnPasskey((more) => parley.auth.removePasskey(passkey._id, { ...proof, ...more }));
  const words = {
    title: texts.remove,
    lead: texts.removeLead(passkey.name),
    action: texts.remove,
    done: texts.removed,
  };
  return <ActDialog {...words} name={null} hasPassword act={act} onClose={onClose} />;
}
