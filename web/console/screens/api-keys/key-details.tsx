/** Everything about one key, and its revocation. */
import type { ApiKey } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Details } from '../../ui/details.tsx';
import { AccessDialog } from '../../ui/access-dialog.tsx';
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
  const nameMaker = useMakerNames(keys);
  const mayRevoke = useMay('api-keys:delete');
  const { createdAt, expires_at, last_used_at, revoked_at, hint } = apiKey;
  return (
    <AccessDialog
      title={apiKey.name}
      items={[
        [texts.token, `…${hint}`],
        [texts.madeBy, nameMaker(apiKey)],
        [texts.created, formatMoment(createdAt)],
        [texts.lastUsed, last_used_at ? formatMoment(last_used_at) : texts.neverUsed],
        [texts.expires, expires_at ? formatMoment(expires_at) : texts.never],
        revoked_at !== null && [texts.revoked, formatMoment(revoked_at)],
      ]}
      texts={texts}
      mayRevoke={mayRevoke && revoked_at === null}
      revoke={async () => showKey(await parley.apiKeys.revoke(apiKey._id))}
      onClose={onClose}
    >
      <h3>{texts.rights}</h3>
      <Rights scopes={apiKey.scopes} />
    </AccessDialog>
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
