/** Compares people, agents, teams and others in a table. Its columns sort it, and a name limits the report to it. */
import type { ReportsGetBreakdownQuery } from '@parley/sdk';
import { useId, useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { parley } from '../../client.ts';
import { useReportBreakdown } from '../../records/reports.ts';
import { useSession } from '../../session/session.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import {
  COLUMNS,
  COMPARED,
  COMPARED_BY_SOME,
  formatCell,
  sortRows,
  type Column,
  type Dimension,
  type Order,
  type Row,
} from './columns.ts';
import { findFilterKind, writeFilter, type ReportParams } from './period.ts';
import styles from './reports.module.css';
import { SaveButton } from './save-button.tsx';
import { COLUMN_NAMES, DIMENSION_NAMES, REPORTS } from './texts.ts';

type Chooser = Pick<ReportParams, 'chooseFilter'>;

export function Breakdown({ query, chooseFilter }: Pick<ReportParams, 'query' | 'chooseFilter'>): ReactElement {
  const texts = useTexts(REPORTS);
  const dimensions = useTexts(DIMENSION_NAMES);
  const id = useId();
  const compared = useSession().seesSome ? COMPARED_BY_SOME : COMPARED;
  const [chosen, compare] = useState<Dimension>('USER');
  const by = compared.includes(chosen) ? chosen : (compared[0] ?? 'INBOX');
  const asked: ReportsGetBreakdownQuery = { from: query.from, to: query.to, by };
  const { data, error, refetch } = useReportBreakdown(asked);
  return (
    <section className={styles['box']} aria-label={texts.comparison}>
      <header className={styles['boxHead']}>
        <h2>
          <label htmlFor={id}>{texts.comparison}</label>
        </h2>
        <select id={id} value={by} onChange={({ target }) => compare(target.value as Dimension)}>
          {compared.map((each) => (
            <option key={each} value={each}>
              {dimensions[each]}
            </option>
          ))}
        </select>
        <span className={styles['grow']} />
        <SaveButton
          label={texts.saveComparison}
          name={`report-${by.toLowerCase()}.csv`}
          read={() => parley.reports.exportBreakdown(asked)}
        />
      </header>
      {data && <Table key={data.by} by={data.by} rows={data.rows} chooseFilter={chooseFilter} />}
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data && !data.is_complete && (
        <p className={styles['note']}>{texts.notComplete(formatNumber(data.rows.length))}</p>
      )}
    </section>
  );
}

function Table({ by, rows, chooseFilter }: { by: Dimension; rows: Row[] } & Chooser): ReactElement {
  const texts = useTexts(REPORTS);
  const dimensions = useTexts(DIMENSION_NAMES);
  const columns = COLUMNS[by];
  const [order, sort] = useState<Order>({ column: columns[0] ?? 'closed', isUp: false });
  if (rows.length === 0) return <p className={styles['note']}>{texts.nothing}</p>;
  return (
    <div className={styles['scroller']} tabIndex={0} role="region" aria-label={dimensions[by]}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {(['name', ...columns] as const).map((column) => (
              <Title key={column} {...{ column, order, sort }} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sortRows(rows, order).map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <Name {...{ by, row, chooseFilter }} />
              </th>
              {columns.map((column) => (
                <td key={column}>{formatCell(column, row.figures)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TitleProps {
  column: Column | 'name';
  order: Order;
  sort(this: void, order: Order): void;
}

function Title({ column, order, sort }: TitleProps): ReactElement {
  const columns = useTexts(COLUMN_NAMES);
  const isSorted = column === order.column;
  // Names begin with A, numbers with the largest.
  const isUp = isSorted ? !order.isUp : column === 'name';
  return (
    <th scope="col" aria-sort={isSorted ? (order.isUp ? 'ascending' : 'descending') : 'none'}>
      <button type="button" onClick={() => sort({ column, isUp })}>
        {columns[column]}
        {isSorted && <Icon name={order.isUp ? 'up' : 'down'} size={12} />}
      </button>
    </th>
  );
}

/** A campaign has a page of its own; of a removed record only its figures are left. */
function Name({ by, row: { id, name }, chooseFilter }: { by: Dimension; row: Row } & Chooser): ReactElement {
  const texts = useTexts(REPORTS);
  const kind = findFilterKind(by);
  if (name === null) return <span className={styles['removed']}>{texts.removed}</span>;
  if (!kind) return <Link href={`/campaigns/${id}`}>{name}</Link>;
  return (
    <button
      type="button"
      className={styles['name']}
      title={texts.only(name)}
      onClick={() => chooseFilter(writeFilter(kind, id))}
    >
      {name}
    </button>
  );
}
