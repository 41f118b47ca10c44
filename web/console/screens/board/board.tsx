/** The board: the steps of a pipeline as columns, and the open conversations as cards that move between them. */
import type { ConversationCounts, Pipeline } from '@parley/sdk';
import { useMemo, useState, type ReactElement } from 'react';
import { Route, useLocation, useParams } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { usePipelines } from '../../records/company.ts';
import { useCounts } from '../../records/conversations.ts';
import { useMay } from '../../session/session.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { BoardColumn } from './board-column.tsx';
import styles from './board.module.css';
import { useFocusOfMoves, type BoardStep } from './card-moves.ts';
import { BOARD } from './texts.ts';

export function BoardScreen(): ReactElement {
  return (
    <Route path="/:pipeline?">
      <ChosenBoard />
    </Route>
  );
}

function ChosenBoard(): ReactElement {
  const texts = useTexts(BOARD);
  const names = useTexts(SCREEN_NAMES);
  const mayMove = useMay('conversations:update');
  const [, navigate] = useLocation();
  const { pipeline: chosen } = useParams<{ pipeline?: string }>();
  const pipelines = usePipelines();
  const pipeline = pipelines.find(({ _id }) => _id === chosen) ?? pipelines.find(({ is_default }) => is_default);
  return (
    <Page
      title={names.board}
      lead={mayMove ? `${texts.lead} ${texts.howToMove}` : texts.lead}
      actions={
        pipeline &&
        pipelines.length > 1 && (
          <SelectField
            label={texts.pipeline}
            value={pipeline._id}
            options={pipelines.map(({ _id, name }) => ({ value: _id, label: name }))}
            onChange={(id) => navigate(`/${id}`)}
          />
        )
      }
    >
      {pipeline ? (
        <Steps key={pipeline._id} pipeline={pipeline} hasOthers={pipelines.length > 1} />
      ) : (
        <Empty icon="board" title={texts.noPipeline} />
      )}
    </Page>
  );
}

interface StepsProps {
  pipeline: Pipeline;
  hasOthers: boolean;
}

/**
 * All columns stand beside each other; on a phone there is one at a time. A conversation without a step belongs to no pipeline, and waits on
 * the board of the default one.
 */
function Steps({ pipeline, hasOthers }: StepsProps): ReactElement {
  const texts = useTexts(BOARD);
  const { data: counts } = useCounts();
  const { steps: own, is_default } = pipeline;
  const steps = useMemo<readonly BoardStep[]>(
    () => (is_default || !hasOthers ? [{ _id: null, name: texts.noStep, kind: 'OPEN' }, ...own] : own),
    [is_default, hasOthers, own, texts],
  );
  const [shown, show] = useState(steps[0]?._id);
  useFocusOfMoves();
  return (
    <div className={styles['board']}>
      <div className={styles['choice']} role="group" aria-label={texts.steps}>
        {steps.map(({ _id, name }) => (
          <button
            key={_id}
            type="button"
            className={styles['tab']}
            aria-pressed={_id === shown}
            onClick={() => show(_id)}
          >
            {name} <span className={styles['count']}>{countCards(_id, counts)}</span>
          </button>
        ))}
      </div>
      <div className={styles['columns']} data-board tabIndex={0}>
        {steps.map((step) => (
          <BoardColumn
            key={step._id}
            step={step}
            steps={steps}
            count={countCards(step._id, counts)}
            isShown={step._id === shown}
          />
        ))}
      </div>
    </div>
  );
}

function countCards(id: string | null, counts: ConversationCounts | undefined): string {
  const count = id === null ? counts?.queues.no_step : counts?.steps.find(({ step }) => step === id)?.count;
  return formatNumber(count ?? 0);
}
