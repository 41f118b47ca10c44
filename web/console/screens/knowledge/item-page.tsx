/** The page of an item: a text is edited here; of a file it shows what is known. */
import { isParleyError, type KnowledgeItem } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toFileAddress } from '../../client.ts';
import { useKnowledgeItem } from '../../records/knowledge.ts';
import { formatBytes, formatMoment, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Details } from '../../ui/details.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { ItemFault, RemoveItem } from './item-actions.tsx';
import { ItemState } from './item-state.tsx';
import { TextEditor } from './text-editor.tsx';
import { FILE_TYPE_NAMES, ITEM_TYPES, KNOWLEDGE, LANGUAGE_NAMES } from './texts.ts';

export function ItemPage({ id }: { id: string }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const { data: item, error } = useKnowledgeItem(id);
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="knowledge" title={texts.noItem} />;
  if (error) return <Failure error={error} />;
  if (!item) return <Loading />;
  return item.content === undefined ? <FilePage item={item} /> : <TextEditor item={item} />;
}

function FilePage({ item }: { item: KnowledgeItem }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const types = useTexts(ITEM_TYPES);
  const files = useTexts(FILE_TYPE_NAMES);
  const languages = useTexts(LANGUAGE_NAMES);
  return (
    <Page title={item.name} back="/" lead={<ItemState item={item} />} actions={<RemoveItem item={item} />}>
      <ItemFault item={item} />
      <Card>
        <Details
          items={[
            [texts.kind, files[item.file_type]],
            [texts.use, types[item.type]],
            [texts.file, <FileLink key="file" item={item} />],
            item.meta?.pages !== undefined && [texts.pages, formatNumber(item.meta.pages)],
            [texts.passages, formatNumber(item.chunk_count)],
            [texts.language, languages[item.language]],
            [texts.description, item.description ?? null],
            [texts.tags, item.tags.join(', ') || null],
            [texts.changed, formatMoment(item.updatedAt)],
          ]}
        />
      </Card>
    </Page>
  );
}

function FileLink({ item: { meta, file_url: url } }: { item: KnowledgeItem }): ReactElement {
  const size = meta?.size === undefined ? '' : ` (${formatBytes(meta.size)})`;
  return (
    <a href={toFileAddress(url ?? '')} target="_blank" rel="noreferrer">
      {meta?.fileName}
      {size}
    </a>
  );
}
