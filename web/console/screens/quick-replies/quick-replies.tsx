/** The texts that people insert by a shortcut: those of the company, and one's own. */
import type { QuickReply } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useQuickReplyFeed } from '../../records/quick-replies.ts';
import { useMay } from '../../session/session.ts';
import { hasNothing } from '../../records/feeds.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { QuickReplyDialog } from './quick-reply-dialog.tsx';
import styles from './quick-replies.module.css';
import { REPLIES } from './texts.ts';

export function QuickRepliesScreen(): ReactElement {
  const texts = useTexts(REPLIES);
  const common = useTexts(COMMON);
  const names = useTexts(SCREEN_NAMES);
  const mayWrite = useMay('messages:create');
  const [search, setSearch] = useState('');
  const [edited, edit] = useState<QuickReply | 'NEW' | null>(null);
  const feed = useQuickReplyFeed(search);
  const isFirst = search === '' && hasNothing(feed);
  const create = mayWrite && (
    <Button kind="primary" icon="plus" onClick={() => edit('NEW')}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={names['quick-replies']} lead={texts.lead} actions={!isFirst && create}>
      <div className={styles['screen']}>
        <SearchField label={texts.searchHere} value={search} onSearch={setSearch} />
        <div className={styles['list']}>
          <RecordList
            label={names['quick-replies']}
            feed={feed}
            columns={useColumns()}
            empty={
              <Empty icon="quick" title={search === '' ? texts.nothing : common.nothingFound}>
                {isFirst && create}
              </Empty>
            }
            onOpen={edit}
          />
        </div>
      </div>
      {edited !== null && <QuickReplyDialog reply={edited === 'NEW' ? null : edited} onClose={() => edit(null)} />}
    </Page>
  );
}

function useColumns(): Column<QuickReply>[] {
  const texts = useTexts(REPLIES);
  return [
    { key: 'title', title: texts.title, width: 'minmax(130px, 2fr)', render: ({ title }) => title },
    {
      key: 'shortcut',
      title: texts.shortcut,
      width: 'minmax(100px, 1fr)',
      render: ({ shortcut }) => <code>/{shortcut}</code>,
    },
    {
      key: 'content',
      title: texts.content,
      width: 'minmax(160px, 4fr)',
      isSecondary: true,
      render: ({ content }) => content,
    },
    {
      key: 'audience',
      title: texts.audience,
      width: '200px',
      isSecondary: true,
      render: ({ owner }) => (
        <Badge tone={owner === null ? 'good' : 'plain'}>{owner === null ? texts.SHARED : texts.PERSONAL}</Badge>
      ),
    },
  ];
}
