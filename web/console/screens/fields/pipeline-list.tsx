/** The pipelines of the company with their steps. */
import type { Pipeline } from '@parley/sdk';
import type { ReactElement, ReactNode } from 'react';
import { parley } from '../../client.ts';
import { useFeed } from '../../records/feeds.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { PIPELINES_KEY } from './field-lists.ts';
import { ListPart } from './list-part.tsx';
import { PipelineDialog } from './pipeline-dialog.tsx';
import { PIPELINES } from './texts.ts';

export function PipelineList({ parts }: { parts: ReactNode }): ReactElement {
  const texts = useTexts(PIPELINES);
  const feed = useFeed<Pipeline>(PIPELINES_KEY, (after, signal) =>
    parley.pipelines.list({ limit: 100, skipCount: true, after }, { signal }),
  );
  return (
    <ListPart
      parts={parts}
      resource="pipelines"
      icon="board"
      texts={{ ...texts, label: texts.pipelines }}
      feed={feed}
      columns={useColumns()}
      renderDialog={(pipeline, close) => <PipelineDialog pipeline={pipeline} onClose={close} />}
    />
  );
}

function useColumns(): Column<Pipeline>[] {
  const texts = useTexts(PIPELINES);
  return [
    { key: 'name', title: texts.name, width: 'minmax(130px, 1fr)', render: ({ name }) => name },
    {
      key: 'steps',
      title: texts.steps,
      width: 'minmax(160px, 3fr)',
      isSecondary: true,
      render: ({ steps }) => steps.map(({ name }) => name).join(' → '),
    },
    {
      key: 'default',
      title: texts.isDefault,
      width: '150px',
      render: ({ is_default }) => is_default && <Badge tone="good">{texts.isDefault}</Badge>,
    },
  ];
}
