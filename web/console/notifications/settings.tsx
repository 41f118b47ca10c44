/** What the user is notified of, and where. */
import type { NotificationSettings } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useNotificationChoice, useNotificationSettings } from '../records/notifications.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { Failure, Loading } from '../ui/state.tsx';
import { showError } from '../ui/toast.tsx';
import styles from './settings.module.css';
import { NOTIFICATIONS } from './texts.ts';

type Kind = keyof NotificationSettings;
const KINDS = [
  'ASSIGNED',
  'TEAM_ASSIGNED',
  'MENTIONED',
  'REPLIED',
  'UNASSIGNED_NEW',
] as const satisfies readonly Kind[];

export function NotificationChoice(): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const { data, error, refetch } = useNotificationSettings();
  return (
    <Card title={texts.title}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Choices settings={data} />}
      <Permission />
    </Card>
  );
}

function Choices({ settings }: { settings: NotificationSettings }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const choice = useNotificationChoice();
  const choose = (kind: Kind, change: Partial<NotificationSettings[Kind]>): void =>
    choice.mutate({ [kind]: { ...settings[kind], ...change } }, { onError: showError });
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{texts.kind}</th>
          <th scope="col">{texts.inConsole}</th>
          <th scope="col">{texts.inBrowser}</th>
        </tr>
      </thead>
      <tbody>
        {KINDS.map((kind) => (
          <tr key={kind}>
            <th scope="row">{texts[kind]}</th>
            <td>
              <input
                type="checkbox"
                aria-label={texts.cell(texts[kind], texts.inConsole)}
                checked={settings[kind].console}
                onChange={({ target }) => choose(kind, { console: target.checked })}
              />
            </td>
            <td>
              <input
                type="checkbox"
                aria-label={texts.cell(texts[kind], texts.inBrowser)}
                checked={settings[kind].browser && settings[kind].console}
                disabled={!settings[kind].console}
                onChange={({ target }) => choose(kind, { browser: target.checked })}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Asks for the permission of the browser when the user wants it, and never by itself. */
function Permission(): ReactElement | null {
  const texts = useTexts(NOTIFICATIONS);
  const [permission, setPermission] = useState('Notification' in window ? Notification.permission : null);
  if (permission === null) return null;
  if (permission !== 'default') return <p>{permission === 'granted' ? texts.allowed : texts.blocked}</p>;
  return (
    <div>
      <Button icon="bell" onClick={() => void Notification.requestPermission().then(setPermission)}>
        {texts.allow}
      </Button>
    </div>
  );
}
