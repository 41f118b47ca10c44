/** Everything about one key, and its revocation. */
import type { ApiKey } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { useMakerNames } from './key-columns.tsx';
import { showKey } from './key-list.ts';
import { RESOURCE_NAMES } from '../../texts/resources.ts';
import { listActions, RESOURCES } from './scopes.ts';
import { API_KEYS } from './texts.ts';

interface KeyDetailsProps {
  apiKey: ApiKey;
  keys: readonly ApiKey[];
  onClose(): void;
}

export function KeyDetails({ apiKey, keys, onClose }: KeyDetailsProps): ReactElement {
  const texts = useTexts(API_KEYS);
  const common = useTexts(COMMON);
  const nameMaker = useMakerNames(keys);
  const mayRevoke = useMay('api-keys:delete');
  const revoke = useMutation({
    mutationFn: () => parley.apiKeys.revoke(apiKey._id),
    onSuccess: (revoked) => {
      showKey(revoked);
      showNotice(texts.revokedNow);
      onClose();
    },
    onError: showError,
  });
  const { createdAt, expires_at, last_used_at, revoked_at, hint } = apiKey;
  return (
    <Dialog
      title={apiKey.name}
      onClose={onClose}
      actions={
        <>
          {mayRevoke && revoked_at === null && (
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
          [texts.token, `…${hint}`],
          [texts.madeBy, nameMaker(apiKey)],
          [texts.created, formatMoment(createdAt)],
          [texts.lastUsed, last_used_at ? formatMoment(last_used_at) : texts.neverUsed],
          [texts.expires, expires_at ? formatMoment(expires_at) : texts.never],
          revoked_at !== null && [texts.revoked, formatMoment(revoked_at)],
        ]}
      />
      <h3>{texts.rights}</h3>
      <Rights scopes={apiKey.scopes} />
    </Dialog>
  );
}

function Rights({ scopes }: { scopes: readonly string[] }): ReactElement {
  const texts = useTexts(API_KEYS);
  const names = useTexts(RESOURCE_NAMES);
  if (scopes.includes('*')) return <p>{texts.everything}</p>;
  const used = RESOURCES.map((resource) => ({ resource, actions: listActions(scopes, resource) }));
  return (
    <Details
      layout="lines"
      items={used.map(
        ({ resource, actions }) =>
          actions.length > 0 && [names[resource], actions.map((action) => texts[action]).join(', ')],
      )}
    />
  );
}
