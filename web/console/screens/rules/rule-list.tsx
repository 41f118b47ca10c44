import type { Rule } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { hasNothing } from '../../records/feeds.ts';
import { useRuleList } from '../../records/rules.ts';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { RULE_KINDS } from '../../ui/actions/action-kinds.ts';
import { ACTIONS } from '../../ui/actions/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
import { RULES } from './texts.ts';

/** The list of rules. */
export function RuleList(): ReactElement {
  const texts = useTexts(RULES);
  const names = useTexts(SCREEN_NAMES);
  const [, navigate] = useLocation();
  const mayCreate = useMay('agents:create');
  const feed = useRuleList();
  const isFirst = hasNothing(feed);
  const create = mayCreate && (
    <Button kind="primary" icon="plus" onClick={() => navigate('/new')}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={names.rules} lead={texts.lead} actions={!isFirst && create}>
      <RecordList
        label={names.rules}
        feed={feed}
        columns={useColumns()}
        empty={
          <Empty icon="automation" title={texts.nothing}>
            {isFirst && create}
          </Empty>
        }
        onOpen={({ _id }) => navigate(`/${_id}`)}
      />
    </Page>
  );
}

function useColumns(): Column<Rule>[] {
  const texts = useTexts(RULES);
  const words = useTexts(ACTIONS);
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 3fr)', render: ({ name }) => name },
    {
      key: 'state',
      title: texts.state,
      width: '90px',
      render: ({ is_active }) => <Badge tone={is_active ? 'good' : 'plain'}>{is_active ? texts.on : texts.off}</Badge>,
    },
    {
      key: 'event',
      title: texts.when,
      width: 'minmax(150px, 2fr)',
      isSecondary: true,
      render: ({ event }) => texts[event],
    },
    {
      key: 'actions',
      title: texts.thenDo,
      width: 'minmax(150px, 3fr)',
      isSecondary: true,
      render: ({ actions }) =>
        RULE_KINDS.filter((kind) => actions[kind] !== undefined)
          .map((kind) => words[kind])
          .join(', ') || '–',
    },
    {
      key: 'position',
      title: texts.position,
      width: '80px',
      isSecondary: true,
      render: ({ position }) => formatNumber(position),
    },
    {
      key: 'changed',
      title: texts.changed,
      width: '140px',
      isSecondary: true,
      render: ({ updatedAt }) => formatListed(updatedAt),
    },
  ];
}
