/** The texts that people insert by a shortcut: those of the company, and one's own. */
import type { QuickReply } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useCreateCommand } from '../../frame/creating.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useQuickReplyFeed } from '../../records/quick-replies.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { QuickReplyDialog } from './quick-reply-dialog.tsx';
import { REPLIES } from './texts.ts';

export function QuickRepliesScreen(): ReactElement {
  const texts = useTexts(REPLIES);
  const names = useTexts(SCREEN_NAMES);
  const mayWrite = useMay('messages:create');
  const [search, setSearch] = useState('');
  const [edited, edit] = useState<QuickReply | 'NEW' | null>(null);
  useCreateCommand('quick-replies', () => edit('NEW'));
  const feed = useQuickReplyFeed(search);
  return (
    <RecordsPage
      title={names['quick-replies']}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={edit}
      create={mayWrite && { label: texts.create, run: () => edit('NEW') }}
      tools={<SearchField label={texts.searchHere} value={search} onSearch={setSearch} />}
      isFiltered={search !== ''}
      empty={{ icon: 'quick', title: texts.nothing }}
    >
      {edited !== null && <QuickReplyDialog reply={edited === 'NEW' ? null : edited} onClose={() => edit(null)} />}
    </RecordsPage>
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
