/** The apps that users have connected: those of all users for an admin, else the user's own. */
import type { ConnectedApp } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley, toPlatformAddress } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useUsers } from '../../records/company.ts';
import { useFeed } from '../../records/feeds.ts';
import { APP_ACCESS } from '../../texts/app-access.ts';
import { formatListed } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { AppDetails, APPS_KEY } from './app-details.tsx';
import { CONNECTED_APPS } from './texts.ts';

export function ConnectedAppsScreen(): ReactElement {
  const texts = useTexts(CONNECTED_APPS);
  const names = useTexts(SCREEN_NAMES);
  const [open, setOpen] = useState<ConnectedApp | 'HOW' | null>(null);
  const columns = useColumns();
  const feed = useFeed<ConnectedApp>(
    APPS_KEY,
    (after, signal) => parley.connectedApps.list({ limit: 50, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  const close = (): void => setOpen(null);
  return (
    <Page
      title={names['connected-apps']}
      lead={texts.lead}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpen('HOW')}>
          {texts.connect}
        </Button>
      }
    >
      <RecordList
        label={names['connected-apps']}
        feed={feed}
        columns={columns}
        empty={<Empty icon="link" title={texts.nothing} />}
        onOpen={setOpen}
      />
      {open === 'HOW' && <HowToConnect onClose={close} />}
      {open !== null && open !== 'HOW' && <AppDetails app={open} onClose={close} />}
    </Page>
  );
}

function useColumns(): Column<ConnectedApp>[] {
  const texts = useTexts(CONNECTED_APPS);
  const access = useTexts(APP_ACCESS);
  const users = useUsers();
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 2fr)', render: ({ name }) => <bdi>{name}</bdi> },
    { key: 'host', title: texts.host, width: 'minmax(120px, 2fr)', isSecondary: true, render: ({ host }) => host },
    {
      key: 'user',
      title: texts.user,
      width: 'minmax(110px, 2fr)',
      render: ({ user }) => users.find(({ _id }) => _id === user)?.name ?? '–',
    },
    {
      key: 'access',
      title: texts.access,
      width: 'minmax(170px, 2fr)',
      isSecondary: true,
      render: (app) => access[app.access],
    },
    {
      key: 'used',
      title: texts.lastUsed,
      width: '150px',
      isSecondary: true,
      render: ({ last_used_at }) => (last_used_at ? formatListed(last_used_at) : texts.neverUsed),
    },
  ];
}

function HowToConnect({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(CONNECTED_APPS);
  const common = useTexts(COMMON);
  return (
    <Dialog title={texts.connect} onClose={onClose} actions={<Button onClick={onClose}>{common.close}</Button>}>
      <p>{texts.connectLead}</p>
      <CopyField label={texts.address} value={toPlatformAddress('mcp')} />
    </Dialog>
  );
}
