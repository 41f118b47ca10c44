/** The keys with which programs work for the company. */
import type { ApiKey } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { hasNothing } from '../../records/feeds.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
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
  const isFirst = hasNothing(feed);
  const create = mayCreate && (
    <Button kind="primary" icon="plus" onClick={() => setOpen('NEW')}>
      {texts.createKey}
    </Button>
  );
  return (
    <Page title={names['api-keys']} lead={texts.lead} actions={!isFirst && create}>
      <RecordList
        label={names['api-keys']}
        feed={feed}
        columns={columns}
        empty={
          <Empty icon="key" title={texts.nothing}>
            {isFirst && create}
          </Empty>
        }
        onOpen={setOpen}
      />
      {open === 'NEW' && <NewKey onMade={showKey} onClose={close} />}
      {open !== null && open !== 'NEW' && <KeyDetails apiKey={open} keys={feed.items} onClose={close} />}
    </Page>
  );
}
