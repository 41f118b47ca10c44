import type { Rule } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useRuleList } from '../../records/rules.ts';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { RULE_KINDS } from '../../ui/actions/action-kinds.ts';
import { ACTIONS } from '../../ui/actions/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { toShownPosition } from '../../ui/position.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { RULES } from './texts.ts';

/** The list of rules. */
export function RuleList(): ReactElement {
  const texts = useTexts(RULES);
  const names = useTexts(SCREEN_NAMES);
  const [, navigate] = useLocation();
  const mayCreate = useMay('agents:create');
  const feed = useRuleList();
  return (
    <RecordsPage
      title={names.rules}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={({ _id }) => navigate(`/${_id}`)}
      create={mayCreate && { label: texts.create, run: () => navigate('/new') }}
      empty={{ icon: 'automation', title: texts.nothing }}
    />
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
      render: ({ position }) => formatNumber(toShownPosition(position)),
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
