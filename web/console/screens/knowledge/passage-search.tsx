/** Shows the passages that a question finds, with their scores, as agents find them. */
import type { KnowledgeSearchResult } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { usePassages } from '../../records/knowledge.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import styles from './knowledge.module.css';
import { SynonymsDialog } from './synonyms-dialog.tsx';
import { KNOWLEDGE } from './texts.ts';

type Passage = KnowledgeSearchResult['result'][number];

export function PassageSearch(): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const [query, setQuery] = useState('');
  const [isOpen, open] = useState(false);
  return (
    <Page
      title={texts.findPassages}
      lead={texts.findLead}
      back="/"
      actions={<Button onClick={() => open(true)}>{texts.synonyms}</Button>}
    >
      <div className={styles['question']}>
        <SearchField label={texts.question} value={query} onSearch={setQuery} />
      </div>
      {query !== '' && <Passages query={query} />}
      {isOpen && <SynonymsDialog onClose={() => open(false)} />}
    </Page>
  );
}

function Passages({ query }: { query: string }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const common = useTexts(COMMON);
  const { data, error } = usePassages(query);
  if (error) return <Failure error={error} />;
  if (!data) return <Loading />;
  if (data.result.length === 0) return <Empty icon="search" title={common.nothingFound} />;
  return (
    <ol className={styles['passages']} aria-label={texts.passages}>
      {data.result.map((passage) => (
        <li key={`${passage.item} ${passage.position}`}>
          <FoundPassage passage={passage} />
        </li>
      ))}
    </ol>
  );
}

function FoundPassage({ passage }: { passage: Passage }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  return (
    <Card>
      <div className={styles['found']}>
        <p>
          <Link href={`/${passage.item}`}>{[passage.name, ...passage.headings].join(' › ')}</Link>
        </p>
        <Badge>{texts.score(formatNumber(Number(passage.score.toFixed(3))))}</Badge>
      </div>
      <Markdown text={passage.content} />
    </Card>
  );
}
