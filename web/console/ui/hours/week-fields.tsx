/** The hours of a week, in a time zone. */
import type { ReactElement } from 'react';
import { formatWeekday } from '../../texts/formats.ts';
import { useLanguage } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { listTimeZones } from '../../texts/time-zones.ts';
import { SelectField, TextField } from '../field.tsx';
import { FieldGrid } from '../field-grid.tsx';
import { explainField } from '../problem.ts';
import type { WeekDraft } from './hours.ts';
import styles from './hours.module.css';
import { HOURS } from './texts.ts';

interface WeekFieldsProps {
  week: WeekDraft;
  error: unknown;
  /** Before the names of the fields in the request. */
  path?: string;
  onChange(next: Partial<WeekDraft>): void;
}

export function WeekFields({ week: { timeZone, days }, error, path = '', onChange }: WeekFieldsProps): ReactElement {
  const texts = useTexts(HOURS);
  const language = useLanguage();
  return (
    <>
      <SelectField
        label={texts.timeZone}
        value={timeZone}
        options={listTimeZones(language, timeZone)}
        onChange={(next) => onChange({ timeZone: next })}
        error={explainField(error, `${path}time_zone`)}
      />
      <p className={styles['hint']}>{texts.hint}</p>
      <p className={styles['error']} role="alert">
        {explainField(error, `${path}days`)}
      </p>
      <FieldGrid>
        {days.map((text, index) => (
          <TextField
            // The days of a week keep their places.
            key={formatWeekday(index + 1)}
            label={formatWeekday(index + 1)}
            value={text}
            onChange={(next) => onChange({ days: days.map((each, place) => (place === index ? next : each)) })}
          />
        ))}
      </FieldGrid>
    </>
  );
}
