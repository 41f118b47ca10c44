/** Chooses the time and the filter of a report, and saves its periods as CSV. */
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useAgents, useInboxes, useTeams, useUsers } from '../../records/company.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { SelectField, TextField, type Option } from '../../ui/field.tsx';
import { DIMENSIONS, readTag, writeFilter, type FilterKind, type ReportParams } from './period.ts';
import { areDates, PERIODS } from './range.ts';
import styles from './reports.module.css';
import { SaveButton } from './save-button.tsx';
import { DIMENSION_NAMES, PERIOD_NAMES, REPORTS } from './texts.ts';

export function Tools({ period, dates, filter, query, ...choosing }: ReportParams): ReactElement {
  const { choosePeriod, chooseDate, chooseFilter } = choosing;
  const texts = useTexts(REPORTS);
  const periods = useTexts(PERIOD_NAMES);
  return (
    <div className={styles['tools']}>
      <SelectField
        label={texts.period}
        value={period}
        options={PERIODS.map((value) => ({ value, label: periods[value] }))}
        onChange={choosePeriod}
      />
      {period === 'DATES' && (
        <div className={styles['dates']}>
          <TextField
            label={texts.from}
            type="date"
            value={dates.from}
            onChange={(day) => chooseDate('from', day)}
            error={areDates(dates) ? null : texts.wrongDates}
          />
          <TextField label={texts.to} type="date" value={dates.to} onChange={(day) => chooseDate('to', day)} />
        </div>
      )}
      <SelectField<string> label={texts.filter} value={filter} options={useFilters(filter)} onChange={chooseFilter} />
      <SaveButton label={texts.save} name="report.csv" read={() => parley.reports.exportSeries(query)} />
    </div>
  );
}

/** What a report can be limited to, by kinds; a tag only when it was chosen in the table. */
function useFilters(filter: string): Option[] {
  const texts = useTexts(REPORTS);
  const kinds = useTexts(DIMENSION_NAMES);
  const list = (kind: FilterKind, records: readonly { _id: string; name: string }[]): Option[] =>
    records
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map(({ _id, name }) => ({ value: writeFilter(kind, _id), label: name, group: kinds[DIMENSIONS[kind]] }));
  const tag = readTag(filter);
  const others = [...list('team', useTeams()), ...list('user', useUsers()), ...list('agent', useAgents())];
  const { seesSome } = useSession();
  const known = [
    { value: '', label: texts.all },
    ...list('inbox', useInboxes()),
    // The figures of the others include inboxes that the user does not see.
    ...(seesSome ? [] : others),
    ...(tag === null ? [] : [{ value: filter, label: tag, group: kinds.TAG }]),
  ];
  const isKnown = known.some(({ value }) => value === filter);
  return isKnown ? known : [...known, { value: filter, label: texts.removed }];
}
