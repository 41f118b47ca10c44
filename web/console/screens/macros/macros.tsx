/** The macros of the company, and one's own. */
import type { Macro } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { hasNothing, useFeed } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { MACRO_KINDS } from '../../ui/actions/action-kinds.ts';
import { ACTIONS } from '../../ui/actions/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
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
  const create = mayWrite && (
    <Button kind="primary" icon="plus" onClick={() => edit('NEW')}>
      {texts.create}
    </Button>
  );
  const isFirst = hasNothing(feed);
  return (
    <Page title={names.macros} lead={texts.lead} actions={!isFirst && create}>
      <RecordList
        label={names.macros}
        feed={feed}
        columns={useColumns()}
        empty={
          <Empty icon="wand" title={texts.nothing}>
            {isFirst && create}
          </Empty>
        }
        onOpen={edit}
      />
      {edited !== null && <MacroDialog macro={edited === 'NEW' ? null : edited} onClose={() => edit(null)} />}
    </Page>
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
