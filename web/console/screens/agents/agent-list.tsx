/** The list of agents with its search and its filters. */
import type { ListedAgent } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useAgentList } from '../../records/agents.ts';
import { useDefaultInboxes } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { AssistDialog } from './assist-dialog.tsx';
import { ASSIST_SETTINGS } from './assist-texts.ts';
import { StatusBadge } from './agent-state.tsx';
import { STATUSES, TYPES, useListState } from './list-state.ts';
import { AGENT_STATES, AGENT_TYPES, AGENTS } from './texts.ts';

export function AgentList(): ReactElement {
  const texts = useTexts(AGENTS);
  const names = useTexts(SCREEN_NAMES);
  const [, navigate] = useLocation();
  const { choice, setSearch, set } = useListState();
  const mayCreate = useMay('agents:create');
  const isChosen = Object.keys(choice).length > 0;
  const feed = useAgentList(choice);
  return (
    <RecordsPage
      title={names.agents}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={({ _id }) => navigate(`/${_id}`)}
      create={mayCreate && { label: texts.newAgent, run: () => navigate('/new') }}
      actions={<AssistButton />}
      tools={
        <>
          <SearchField label={texts.searchHere} value={choice.search ?? ''} onSearch={setSearch} />
          <Filters choice={choice} onSet={set} />
        </>
      }
      isFiltered={isChosen}
      empty={{ icon: 'agent', title: texts.nothing }}
    />
  );
}

function AssistButton(): ReactElement {
  const texts = useTexts(ASSIST_SETTINGS);
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button icon="sparkle" onClick={() => open(true)}>
        {texts.title}
      </Button>
      {isOpen && <AssistDialog onClose={() => open(false)} />}
    </>
  );
}

interface FiltersProps {
  choice: ReturnType<typeof useListState>['choice'];
  onSet: ReturnType<typeof useListState>['set'];
}

function Filters({ choice, onSet }: FiltersProps): ReactElement {
  const texts = useTexts(AGENTS);
  const types = useTexts(AGENT_TYPES);
  const states = useTexts(AGENT_STATES);
  return (
    <>
      <ChoiceFilter
        label={texts.type}
        all={texts.all}
        values={TYPES}
        names={types}
        value={choice.type}
        onChoose={(value) => onSet('type', value)}
      />
      <ChoiceFilter
        label={texts.state}
        all={texts.all}
        values={STATUSES}
        names={states}
        value={choice.status}
        onChoose={(value) => onSet('status', value)}
      />
    </>
  );
}

function useColumns(): Column<ListedAgent>[] {
  const texts = useTexts(AGENTS);
  const types = useTexts(AGENT_TYPES);
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 3fr)', render: ({ name }) => name },
    { key: 'state', title: texts.state, width: '130px', render: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'type',
      title: texts.type,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: ({ type }) => types[type],
    },
    {
      key: 'default',
      title: texts.defaultOf,
      width: 'minmax(130px, 2fr)',
      isSecondary: true,
      render: ({ _id }) => <DefaultOf agent={_id} />,
    },
    {
      key: 'knowledge',
      title: texts.knowledge,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: (agent) => <Knowledge agent={agent} />,
    },
    {
      key: 'changed',
      title: texts.changed,
      width: '150px',
      isSecondary: true,
      render: ({ updatedAt }) => formatListed(updatedAt),
    },
  ];
}

/** The inboxes whose new conversations the agent gets. */
function DefaultOf({ agent }: { agent: string }): ReactElement {
  const inboxes = useDefaultInboxes(agent);
  const names = inboxes.map(({ name }) => name).join(', ');
  return <span title={names}>{names || '–'}</span>;
}

function Knowledge({ agent: { type, knowledge_scope, knowledge } }: { agent: ListedAgent }): ReactElement {
  const texts = useTexts(AGENTS);
  if (type === 'EXTERNAL') return <>–</>;
  return <>{knowledge_scope === 'ALL' ? texts.allItems : texts.items(formatNumber(knowledge.length))}</>;
}
