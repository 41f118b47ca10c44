/** The user's own passkeys: added, renamed and removed. */
import type { Passkey } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';
import { canUsePasskeys, withOwnPasskey } from '../../session/other-ways.ts';
import { ActDialog, AddPasskey, type Given } from '../../session/passkeys/dialogs.tsx';
import { PASSKEYS } from '../../session/passkeys/texts.ts';
import { PasswordFirst } from '../../session/password-link.tsx';
import { useSecondFactor } from '../../session/second-factor/state.ts';
import { readSession } from '../../session/session.ts';
import { formatDate } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import styles from './profile.module.css';

const KEY = ['passkeys'] as const;
// A person has at most twenty.
const ALL = { limit: 100 };

/** Reads the list again, and the session, which shows whether the user has a second factor. */
const readAgain = (): Promise<unknown> => Promise.all([queries.invalidateQueries({ queryKey: KEY }), readSession()]);

type Asked = { kind: 'ADD' } | { kind: 'RENAME' | 'REMOVE'; passkey: Passkey };

export function PasskeysCard(): ReactElement {
  const texts = useTexts(PASSKEYS);
  const { data, error, refetch } = useSecondFactor();
  return (
    <Card title={texts.title}>
      <p>{texts.lead}</p>
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data && (data.has_password ? <Passkeys /> : <PasswordFirst />)}
    </Card>
  );
}

function Passkeys(): ReactElement {
  const texts = useTexts(PASSKEYS);
  const [asked, ask] = useState<Asked | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => parley.auth.listPasskeys(ALL, { signal }),
  });
  const close = (): void => ask(null);
  return (
    <>
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
      {asked?.kind === 'ADD' && <AddPasskey onDone={readAgain} onClose={close} />}
      {asked?.kind === 'RENAME' && <RenameDialog passkey={asked.passkey} onClose={close} />}
      {asked?.kind === 'REMOVE' && <RemoveDialog passkey={asked.passkey} onClose={close} />}
    </>
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

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }): ReactElement {
  const texts = useTexts(PASSKEYS);
  const act = ({ name }: { name: string }): Promise<unknown> => parley.auth.renamePasskey(passkey._id, { name });
  const words = { title: texts.rename, action: texts.save, done: null };
  return (
    <ActDialog {...words} name={passkey.name} hasPassword={false} act={act} onDone={readAgain} onClose={onClose} />
  );
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
  return <ActDialog {...words} name={null} hasPassword act={act} onDone={readAgain} onClose={onClose} />;
}
