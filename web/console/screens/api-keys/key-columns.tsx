/** What the list tells of a key. */
import type { ApiKey } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useUsers } from '../../records/company.ts';
import { formatListed } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import type { Column } from '../../ui/record-list.tsx';
import styles from './api-keys.module.css';
import { findState, type KeyState } from './key-list.ts';
import { RESOURCE_NAMES } from '../../texts/resources.ts';
import { isReadOnly, listActions, RESOURCES } from './scopes.ts';
import { API_KEYS } from './texts.ts';

export function useKeyColumns(keys: readonly ApiKey[]): Column<ApiKey>[] {
  const texts = useTexts(API_KEYS);
  const nameMaker = useMakerNames(keys);
  const summarize = useSummary();
  return [
    { key: 'name', title: texts.name, width: 'minmax(150px, 2fr)', render: (key) => <KeyName apiKey={key} /> },
    {
      key: 'rights',
      title: texts.rights,
      width: 'minmax(120px, 3fr)',
      isSecondary: true,
      render: ({ scopes }) => <span title={summarize(scopes)}>{summarize(scopes)}</span>,
    },
    { key: 'maker', title: texts.madeBy, width: 'minmax(90px, 1fr)', isSecondary: true, render: nameMaker },
    {
      key: 'used',
      title: texts.lastUsed,
      width: '150px',
      isSecondary: true,
      render: ({ last_used_at }) => (last_used_at ? formatListed(last_used_at) : texts.neverUsed),
    },
    { key: 'state', title: texts.state, width: '100px', render: (key) => <StateBadge apiKey={key} /> },
  ];
}

/** The last characters of the token tell keys of the same name apart. */
function KeyName({ apiKey: { name, hint } }: { apiKey: ApiKey }): ReactElement {
  return (
    <>
      {name} <code className={styles['hint']}>…{hint}</code>
    </>
  );
}

const TONES: Record<KeyState, Tone> = { ACTIVE: 'good', REVOKED: 'plain', EXPIRED: 'warning' };

function StateBadge({ apiKey }: { apiKey: ApiKey }): ReactElement {
  const texts = useTexts(API_KEYS);
  const state = findState(apiKey);
  return <Badge tone={TONES[state]}>{texts[state]}</Badge>;
}

/** Names who made a key: a user, or another key. */
export function useMakerNames(keys: readonly ApiKey[]): (key: ApiKey) => string {
  const makers = [...useUsers(), ...keys];
  return ({ created_by }) => makers.find(({ _id }) => _id === created_by)?.name ?? '–';
}

function useSummary(): (scopes: readonly string[]) => string {
  const texts = useTexts(API_KEYS);
  const names = useTexts(RESOURCE_NAMES);
  return (scopes) => {
    if (scopes.includes('*')) return texts.everything;
    const used = RESOURCES.filter((resource) => listActions(scopes, resource).length > 0);
    if (!isReadOnly(scopes)) return used.map((resource) => names[resource]).join(', ');
    if (used.length === RESOURCES.length) return texts.readOnly;
    return `${texts.readOnly}: ${used.map((resource) => names[resource]).join(', ')}`;
  };
}
