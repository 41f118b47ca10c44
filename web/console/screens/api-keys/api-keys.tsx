/** The keys with which programs work for the company. */
import type { ApiKey } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { RecordsPage } from '../../ui/records-page.tsx';
import { useKeyColumns } from './key-columns.tsx';
import { KeyDetails } from './key-details.tsx';
import { showKey, useKeys } from './key-list.ts';
import { NewKey } from './new-key.tsx';
import { API_KEYS } from './texts.ts';

export function ApiKeysScreen(): ReactElement {
  const texts = useTexts(API_KEYS);
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay('api-keys:create');
  const [open, setOpen] = useState<ApiKey | 'NEW' | null>(null);
  const feed = useKeys();
  const columns = useKeyColumns(feed.items);
  const close = (): void => setOpen(null);
  return (
    <RecordsPage
      title={names['api-keys']}
      lead={texts.lead}
      feed={feed}
      columns={columns}
      onOpen={setOpen}
      create={mayCreate && { label: texts.createKey, run: () => setOpen('NEW') }}
      empty={{ icon: 'key', title: texts.nothing }}
    >
      {open === 'NEW' && <NewKey onMade={showKey} onClose={close} />}
      {open !== null && open !== 'NEW' && <KeyDetails apiKey={open} keys={feed.items} onClose={close} />}
    </RecordsPage>
  );
}
