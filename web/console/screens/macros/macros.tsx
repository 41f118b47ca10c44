/** The macros of the company, and one's own. */
import type { Macro } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useFeed } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { MACRO_KINDS } from '../../ui/actions/action-kinds.ts';
import { ACTIONS } from '../../ui/actions/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { MacroDialog } from './macro-dialog.tsx';
import { MACROS_KEY } from './macro-list.ts';
import { MACROS } from './texts.ts';

export function MacrosScreen(): ReactElement {
  const texts = useTexts(MACROS);
  const names = useTexts(SCREEN_NAMES);
  const mayWrite = useMay('conversations:update');
  const [edited, edit] = useState<Macro | 'NEW' | null>(null);
  const feed = useFeed<Macro>(
    MACROS_KEY,
    (after, signal) => parley.macros.list({ limit: 50, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  return (
    <RecordsPage
      title={names.macros}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={edit}
      create={mayWrite && { label: texts.create, run: () => edit('NEW') }}
      empty={{ icon: 'wand', title: texts.nothing }}
    >
      {edited !== null && <MacroDialog macro={edited === 'NEW' ? null : edited} onClose={() => edit(null)} />}
    </RecordsPage>
  );
}

function useColumns(): Column<Macro>[] {
  const texts = useTexts(MACROS);
  const words = useTexts(ACTIONS);
  const describe = ({ actions }: Macro): string =>
    MACRO_KINDS.filter((kind) => actions[kind as keyof Macro['actions']] !== undefined)
      .map((kind) => words[kind])
      .join(', ');
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 2fr)', render: ({ name }) => name },
    {
      key: 'actions',
      title: texts.actions,
      width: 'minmax(160px, 4fr)',
      isSecondary: true,
      render: (macro) => describe(macro) || '–',
    },
    {
      key: 'audience',
      title: texts.audience,
      width: '210px',
      isSecondary: true,
      render: ({ owner }) => (
        <Badge tone={owner === null ? 'good' : 'plain'}>{owner === null ? texts.SHARED : texts.PERSONAL}</Badge>
      ),
    },
  ];
}
