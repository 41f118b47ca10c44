/** How far an import is, what it has made, and the rows that failed. */
import type { Import } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { formatMoment, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../badge.tsx';
import { Button } from '../button.tsx';
import { Details } from '../details.tsx';
import { saveFile } from '../download.ts';
import { Card } from '../page.tsx';
import { showError } from '../toast.tsx';
import type { ImportField } from './mapping.ts';
import styles from './sheets.module.css';
import { SHEETS } from './texts.ts';

const TONES: Record<Import['status'], Tone> = {
  QUEUED: 'plain',
  RUNNING: 'warning',
  COMPLETED: 'good',
  FAILED: 'danger',
};

/** The record of an import has at most this many errors. */
const MAX_ERRORS = 100;

const isLost = ({ status, created_count, updated_count, failed_count }: Import): boolean =>
  status === 'COMPLETED' && failed_count > 0 && created_count + updated_count === 0;

/** How many of the first errors are in rows that were stored without a value. */
const countPartial = ({ row_errors }: Import): number =>
  new Set(row_errors.flatMap(({ row, stored }) => (stored ? [row] : []))).size;

/** An import that has read its sheet to the end has failed all the same when no row of it was stored. */
export function ImportState({ record }: { record: Import }): ReactElement {
  const texts = useTexts(SHEETS);
  const { status, failed_count } = record;
  if (status === 'COMPLETED' && (failed_count > 0 || countPartial(record) > 0)) {
    const isWhole = isLost(record);
    return <Badge tone={isWhole ? 'danger' : 'warning'}>{isWhole ? texts.allFailed : texts.someFailed}</Badge>;
  }
  return <Badge tone={TONES[status]}>{texts[status]}</Badge>;
}

interface ImportProgressProps {
  record: Import;
  fields: readonly ImportField[];
  /** Reads all errors, as a sheet. */
  readErrors(): Promise<Response>;
  /** Where somebody goes from here. */
  children: ReactNode;
}

export function ImportProgress({ record, fields, readErrors, children }: ImportProgressProps): ReactElement {
  return (
    <>
      <Card>
        <Progress record={record} />
        {children}
      </Card>
      {record.row_errors.length > 0 && <RowErrors record={record} fields={fields} readErrors={readErrors} />}
    </>
  );
}

function Progress({ record }: { record: Import }): ReactElement {
  const texts = useTexts(SHEETS);
  const { total, processed, started_at, finished_at, error } = record;
  const written = total === null ? texts.counting : texts.progress(formatNumber(processed), formatNumber(total));
  // Rows of a table are never found again, so none of them can have existed.
  const kinds =
    record.kind === 'TABLE' ? (['created', 'failed'] as const) : (['created', 'updated', 'failed'] as const);
  const counts = kinds.map((key) => [texts[key], formatNumber(record[`${key}_count`])] as const);
  const partial = countPartial(record);
  const more = record.row_errors.length >= MAX_ERRORS ? '+' : '';
  const times = [
    [texts.startedAt, started_at && formatMoment(started_at)],
    [texts.finishedAt, finished_at && formatMoment(finished_at)],
  ] as const;
  return (
    <>
      {error ? (
        <p role="alert" className={styles['problem']}>
          {error.message}
        </p>
      ) : (
        <>
          <progress
            className={styles['bar']}
            data-lost={isLost(record)}
            aria-label={written}
            max={total ?? 1}
            value={total === null ? undefined : processed}
          />
          <p role="status">{written}</p>
        </>
      )}
      <Details items={[...counts, partial > 0 && [texts.partial, formatNumber(partial) + more], ...times]} />
    </>
  );
}

function RowErrors({ record, fields, readErrors }: Omit<ImportProgressProps, 'children'>): ReactElement {
  const texts = useTexts(SHEETS);
  const { row_errors: errors } = record;
  const save = useMutation({
    mutationFn: async () => saveFile(await readErrors(), 'errors.csv'),
    onError: showError,
  });
  const nameField = (key: string | null): string =>
    fields.find((each) => each.key === key)?.title ?? key ?? texts.wholeRow;
  return (
    <Card title={texts.errors}>
      <div className={styles['actions']}>
        <Button icon="download" isBusy={save.isPending} onClick={() => save.mutate()}>
          {texts.saveErrors}
        </Button>
        {errors.length >= MAX_ERRORS && (
          <p className={styles['note']}>{texts.firstErrors(formatNumber(errors.length))}</p>
        )}
      </div>
      <div className={styles['scroller']}>
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">{texts.row}</th>
              <th scope="col">{texts.field}</th>
              <th scope="col">{texts.value}</th>
              <th scope="col">{texts.message}</th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ row, line = row + 1, field, value = null, message, stored = false }) => (
              <tr key={`${row}:${field}:${message}`}>
                <td>{formatNumber(line)}</td>
                <td>{nameField(field)}</td>
                <td className={styles['examples']}>{value}</td>
                <td>
                  {message} {stored && <Badge tone="plain">{texts.stored}</Badge>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
