/** The dates with hours of their own. */
import type { BusinessHours } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { readSpans, writeSpans } from '../../ui/hours/hours.ts';
import { explainField } from '../../ui/problem.ts';
import styles from './business-hours.module.css';
import { BUSINESS_HOURS } from './texts.ts';

type SpecialDate = BusinessHours['special_dates'][number];

export interface DateDraft {
  /** Tells the rows of the form apart. */
  key: number;
  date: string;
  name: string;
  hours: string;
}

let made = 0;
const makeKey = (): number => (made += 1);

/** The dates in their order. */
export const toDateDrafts = (dates: readonly SpecialDate[]): DateDraft[] =>
  dates
    .toSorted((a, b) => a.date.localeCompare(b.date))
    .map(({ date, name, spans }) => ({ key: makeKey(), date, name, hours: writeSpans(spans) }));

export const toDates = (drafts: readonly DateDraft[]): SpecialDate[] =>
  drafts.map(({ date, name, hours }) => ({ date, name: name.trim(), spans: readSpans(hours) }));

interface DateFieldsProps {
  dates: readonly DateDraft[];
  error: unknown;
  onChange(dates: readonly DateDraft[]): void;
}

export function DateFields({ dates, error, onChange }: DateFieldsProps): ReactElement {
  const texts = useTexts(BUSINESS_HOURS);
  return (
    <fieldset className={styles['dates']}>
      <legend>{texts.dates}</legend>
      <p className={styles['hint']}>{texts.datesHint}</p>
      {dates.map((date, index) => (
        <DateRow
          key={date.key}
          date={date}
          error={error}
          path={`special_dates[${index}]`}
          onChange={(next) => onChange(dates.with(index, { ...date, ...next }))}
          onRemove={() => onChange(dates.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...dates, { key: makeKey(), date: '', name: '', hours: '' }])}>
          {texts.addDate}
        </Button>
      </div>
    </fieldset>
  );
}

interface DateRowProps {
  date: DateDraft;
  error: unknown;
  path: string;
  onChange(next: Partial<DateDraft>): void;
  onRemove(): void;
}

function DateRow({ date: { date, name, hours }, error, path, onChange, onRemove }: DateRowProps): ReactElement {
  const texts = useTexts(BUSINESS_HOURS);
  return (
    <div className={styles['row']}>
      <TextField
        label={texts.date}
        type="date"
        value={date}
        onChange={(next) => onChange({ date: next })}
        error={explainField(error, `${path}.date`)}
      />
      <TextField
        label={texts.dateName}
        value={name}
        onChange={(next) => onChange({ name: next })}
        error={explainField(error, `${path}.name`)}
      />
      <TextField
        label={texts.dateHours}
        placeholder={texts.closed}
        value={hours}
        onChange={(next) => onChange({ hours: next })}
        error={explainField(error, `${path}.spans`)}
      />
      <div className={styles['remove']}>
        <IconButton icon="remove" label={texts.removeDate} onClick={onRemove} />
      </div>
    </div>
  );
}
