/** Everything about one connected app, and its revocation. */
import type { ConnectedApp } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useUsers } from '../../records/company.ts';
import { changeFeeds, removeFromFeed } from '../../records/feeds.ts';
import { useMay, useSession } from '../../session/session.ts';
import { APP_ACCESS } from '../../texts/app-access.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Details } from '../../ui/details.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { CONNECTED_APPS } from './texts.ts';

export const APPS_KEY = ['connected-apps'] as const;

export function AppDetails({ app, onClose }: { app: ConnectedApp; onClose(): void }): ReactElement {
  const texts = useTexts(CONNECTED_APPS);
  const common = useTexts(COMMON);
  const access = useTexts(APP_ACCESS);
  const { user } = useSession();
  const users = useUsers();
  const mayRevokeAll = useMay('api-keys:delete');
  const revoke = useMutation({
    mutationFn: () => parley.connectedApps.revoke(app._id),
    onSuccess: () => {
      changeFeeds<ConnectedApp>(APPS_KEY, (feed) => removeFromFeed(feed, app._id));
      showNotice(texts.revoked);
      onClose();
    },
    onError: showError,
  });
  return (
    <Dialog
      title={app.name}
      onClose={onClose}
      actions={
        <>
          {(mayRevokeAll || app.user === user._id) && (
            <ConfirmButton
              label={texts.revoke}
              question={texts.reallyRevoke}
              isBusy={revoke.isPending}
              onConfirm={() => revoke.mutate()}
            />
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <Details
        layout="lines"
        items={[
          [texts.user, users.find(({ _id }) => _id === app.user)?.name],
          [texts.access, access[app.access]],
          [texts.host, app.host],
          [texts.created, formatMoment(app.createdAt)],
          [texts.lastUsed, app.last_used_at ? formatMoment(app.last_used_at) : texts.neverUsed],
          [texts.ends, formatMoment(app.expires_at)],
        ]}
      />
    </Dialog>
  );
}
