/** What the user is notified of, and where. */
import type { NotificationSettings } from '@parley/sdk';
import type { ReactElement } from 'react';
import { askPermission, usePermission } from '../notices/permission.ts';
import { useNotificationChoice, useNotificationSettings } from '../records/notifications.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { Failure, Loading } from '../ui/state.tsx';
import { showError } from '../ui/toast.tsx';
import { PushSettings } from './push-settings.tsx';
import styles from './settings.module.css';
import { NOTIFICATIONS } from './texts.ts';

type Kind = keyof NotificationSettings;
type Place = keyof NotificationSettings[Kind];
const KINDS = [
  'ASSIGNED',
  'TEAM_ASSIGNED',
  'MENTIONED',
  'REPLIED',
  'UNASSIGNED_NEW',
  'NOT_SENT',
  'SLA_BREACHED',
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
      <PushSettings />
    </Card>
  );
}

/** What is not notified of in the console is notified of nowhere. */
const PLACES = ['console', 'browser', 'push', 'mail'] as const satisfies readonly Place[];

function Choices({ settings }: { settings: NotificationSettings }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const choice = useNotificationChoice();
  const names = { console: texts.inConsole, browser: texts.inBrowser, push: texts.byPush, mail: texts.byMail };
  const choose = (kind: Kind, place: Place, isOn: boolean): void =>
    choice.mutate({ [kind]: { ...settings[kind], [place]: isOn } }, { onError: showError });
  return (
    <>
      <div className={styles['scroll']}>
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">{texts.kind}</th>
              {PLACES.map((place) => (
                <th key={place} scope="col">
                  {names[place]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {KINDS.map((kind) => (
              <tr key={kind}>
                <th scope="row">{texts[kind]}</th>
                {PLACES.map((place) => (
                  <td key={place}>
                    <input
                      type="checkbox"
                      aria-label={texts.cell(texts[kind], names[place])}
                      checked={settings[kind][place] && settings[kind].console}
                      disabled={place !== 'console' && !settings[kind].console}
                      onChange={({ target }) => choose(kind, place, target.checked)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles['hint']}>{texts.places}</p>
    </>
  );
}

/** Asks for the permission of the browser when the user wants it, and never by itself. */
function Permission(): ReactElement | null {
  const texts = useTexts(NOTIFICATIONS);
  const permission = usePermission();
  if (permission === 'MISSING') return null;
  if (permission !== 'default') return <p>{permission === 'granted' ? texts.allowed : texts.blocked}</p>;
  return (
    <div>
      <Button icon="bell" onClick={() => void askPermission()}>
        {texts.allow}
      </Button>
    </div>
  );
}
