/** Everything about one connected app, and its revocation. */
import type { ConnectedApp } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useUsers } from '../../records/company.ts';
import { changeFeeds, removeFromFeed } from '../../records/feeds.ts';
import { useMay, useSession } from '../../session/session.ts';
import { APP_ACCESS } from '../../texts/app-access.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { AccessDialog } from '../../ui/access-dialog.tsx';
import { CONNECTED_APPS } from './texts.ts';

export const APPS_KEY = ['connected-apps'] as const;

export function AppDetails({ app, onClose }: { app: ConnectedApp; onClose(): void }): ReactElement {
  const texts = useTexts(CONNECTED_APPS);
  const access = useTexts(APP_ACCESS);
  const { user } = useSession();
  const users = useUsers();
  const mayRevokeAll = useMay('api-keys:delete');
  return (
    <AccessDialog
      title={app.name}
      items={[
        [texts.user, users.find(({ _id }) => _id === app.user)?.name],
        [texts.access, access[app.access]],
        [texts.host, app.host],
        [texts.created, formatMoment(app.createdAt)],
        [texts.lastUsed, app.last_used_at ? formatMoment(app.last_used_at) : texts.neverUsed],
        [texts.ends, formatMoment(app.expires_at)],
      ]}
      texts={texts}
      mayRevoke={mayRevokeAll || app.user === user._id}
      revoke={async () => {
        await parley.connectedApps.revoke(app._id);
        changeFeeds<ConnectedApp>(APPS_KEY, (feed) => removeFromFeed(feed, app._id));
      }}
      onClose={onClose}
    />
  );
}
