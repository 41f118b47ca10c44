/** The list of items with its search and its filters. */
import type { ListedKnowledgeItem } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useKnowledge } from '../../records/knowledge.ts';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { PageProgress, StatusBadge, useFault } from './item-state.tsx';
import { FILE_TYPES, STATUSES, TYPES, useListState } from './list-state.ts';
import { FILE_TYPE_NAMES, ITEM_STATES, ITEM_TYPES, KNOWLEDGE } from './texts.ts';
import { UploadDialog } from './upload-dialog.tsx';

export function ItemList(): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const names = useTexts(SCREEN_NAMES);
  const [, navigate] = useLocation();
  const { choice, setSearch, set } = useListState();
  const [isUploading, setUploading] = useState(false);
  const mayCreate = useMay('knowledge:create');
  const isChosen = Object.keys(choice).length > 0;
  const feed = useKnowledge(choice);
  return (
    <RecordsPage
      title={names.knowledge}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={({ _id }) => navigate(`/${_id}`)}
      create={mayCreate && { label: texts.write, run: () => navigate('/new') }}
      actions={
        <>
          <Button icon="search" onClick={() => navigate('/search')}>
            {texts.findPassages}
          </Button>
          {mayCreate && (
            <Button icon="upload" onClick={() => setUploading(true)}>
              {texts.upload}
            </Button>
          )}
        </>
      }
      tools={
        <>
          <SearchField label={texts.searchHere} value={choice.search ?? ''} onSearch={setSearch} />
          <Filters choice={choice} onSet={set} />
        </>
      }
      isFiltered={isChosen}
      empty={{ icon: 'knowledge', title: texts.nothing }}
    >
      {isUploading && <UploadDialog onClose={() => setUploading(false)} />}
    </RecordsPage>
  );
}

interface FiltersProps {
  choice: ReturnType<typeof useListState>['choice'];
  onSet: ReturnType<typeof useListState>['set'];
}

function Filters({ choice, onSet }: FiltersProps): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const types = useTexts(ITEM_TYPES);
  const files = useTexts(FILE_TYPE_NAMES);
  const states = useTexts(ITEM_STATES);
  return (
    <>
      <ChoiceFilter
        label={texts.use}
        all={texts.all}
        values={TYPES}
        names={types}
        value={choice.type}
        onChoose={(value) => onSet('type', value)}
      />
      <ChoiceFilter
        label={texts.kind}
        all={texts.all}
        values={FILE_TYPES}
        names={files}
        value={choice.file_type}
        onChoose={(value) => onSet('file_type', value)}
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

function useColumns(): Column<ListedKnowledgeItem>[] {
  const texts = useTexts(KNOWLEDGE);
  const files = useTexts(FILE_TYPE_NAMES);
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 3fr)', render: ({ name }) => name },
    { key: 'state', title: texts.state, width: '130px', render: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'cause',
      title: texts.cause,
      width: 'minmax(150px, 2fr)',
      isSecondary: true,
      render: (item) => (item.status === 'ERROR' ? <Fault item={item} /> : <PageProgress item={item} />),
    },
    {
      key: 'kind',
      title: texts.kind,
      width: '120px',
      isSecondary: true,
      render: ({ file_type }) => files[file_type],
    },
    {
      key: 'passages',
      title: texts.passages,
      width: '110px',
      isSecondary: true,
      render: ({ chunk_count }) => formatNumber(chunk_count),
    },
    {
      key: 'tags',
      title: texts.tags,
      width: 'minmax(100px, 1fr)',
      isSecondary: true,
      render: ({ tags }) => tags.join(', ') || '–',
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

function Fault({ item }: { item: ListedKnowledgeItem }): ReactElement {
  const fault = useFault(item) ?? '';
  return <span title={fault}>{fault}</span>;
}
