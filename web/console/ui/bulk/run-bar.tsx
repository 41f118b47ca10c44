/** How far a bulk change is, and which records could not be changed. */
import { useState, type ReactElement, type ReactNode } from 'react';
import type { Translation } from '../../../browser/texts.ts';
import type { RunStore } from '../../records/runs.ts';
import { formatNumber } from '../../texts/formats.ts';
import { explainCode } from '../../texts/problems.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { showError } from '../toast.tsx';
import styles from './bulk.module.css';
import { BULK } from './texts.ts';

interface Reason {
  code: string;
  message: string;
}

/** The tags among what a run changes. */
interface TagChange {
  add_tags?: readonly string[] | undefined;
  remove_tags?: readonly string[] | undefined;
}

interface ShownRun<F extends Reason> {
  _id: string;
  /** Null where something else than a change is made. */
  change: TagChange | null;
  status: string;
  total: number;
  processed: number;
  changed_count: number;
  failed_count: number;
  failures: readonly F[];
  error: Reason | null;
  finished_at: string | null;
}

interface RunBarProps<F extends Reason, R extends ShownRun<F>> {
  runs: RunStore<R>;
  /** Says what was done with so many records. */
  describe(run: R, count: string): string;
  /** Takes the change back, where that is possible. */
  undo?(run: R): ReactNode;
  /** A record that was not changed, with what leads to it, and what can be done about the reason. */
  failure(failure: F, close: () => void): { key: string; record: ReactNode; help?: ReactNode };
}

export function RunBar<F extends Reason, R extends ShownRun<F>>(props: RunBarProps<F, R>): ReactElement | null {
  const id = props.runs.useShown();
  return id === null ? null : <Shown key={id} {...props} id={id} />;
}

function Shown<F extends Reason, R extends ShownRun<F>>(
  props: RunBarProps<F, R> & { id: string },
): ReactElement | null {
  const { runs, id, describe, undo, failure } = props;
  const texts = useTexts(BULK);
  const { data: run } = runs.use(id);
  const [isOpen, open] = useState(false);
  if (!run) return null;
  const isOver = run.finished_at !== null;
  const done = describe(run, formatNumber(run.changed_count)) + nameTags(texts, run.change ?? {});
  const changing = texts.changing(formatNumber(run.processed), formatNumber(run.total));
  const ended = run.status === 'CANCELLED' ? `${texts.cancelled} ${done}` : done;
  const reasons = new Set(run.failures.map((each) => explain(each)));
  return (
    <section className={styles['bar']} aria-label={texts.progress} data-bulk>
      <p className={styles['line']}>
        <span role="status">{isOver ? ended : changing}</span>
        <span className={styles['end']}>
          {isOver ? (
            <>
              {undo?.(run)}
              <IconButton icon="close" label={texts.putAway} onClick={runs.dismiss} />
            </>
          ) : (
            <Button kind="quiet" onClick={() => void runs.cancel(id).catch(showError)}>
              {texts.cancel}
            </Button>
          )}
        </span>
      </p>
      {!isOver && (
        <progress className={styles['progress']} aria-label={texts.progress} max={run.total} value={run.processed} />
      )}
      {run.error && <p role="alert">{explain(run.error)}</p>}
      {run.failed_count > 0 && (
        <>
          <Button kind="quiet" icon="warning" onClick={() => open(true)}>
            {texts.failed(formatNumber(run.failed_count))}
          </Button>
          <p>{[...reasons].join(' ')}</p>
        </>
      )}
      {isOpen && <Failures run={run} failure={failure} onClose={() => open(false)} />}
    </section>
  );
}

/** Names the tags of a change in brackets; "" for a change of something else. */
function nameTags(texts: Translation<(typeof BULK)['en']>, { add_tags = [], remove_tags = [] }: TagChange): string {
  const parts = [
    add_tags.length > 0 && texts.added(add_tags.join(', ')),
    remove_tags.length > 0 && texts.removed(remove_tags.join(', ')),
  ].filter((part) => part !== false);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

const explain = ({ code, message }: Reason): string => explainCode(code, message) ?? message;

function Failures<F extends Reason, R extends ShownRun<F>>({
  run,
  failure,
  onClose,
}: Pick<RunBarProps<F, R>, 'failure'> & { run: R; onClose(): void }): ReactElement {
  const texts = useTexts(BULK);
  return (
    <Dialog title={texts.failed(formatNumber(run.failed_count))} onClose={onClose}>
      <ul className={styles['failures']}>
        {run.failures.map((each) => {
          const { key, record, help } = failure(each, onClose);
          return (
            <li key={key}>
              {record}
              {': '}
              {explain(each)} {help}
            </li>
          );
        })}
      </ul>
      {run.failed_count > run.failures.length && <p>{texts.firstOnes(formatNumber(run.failures.length))}</p>}
    </Dialog>
  );
}
