/** When the company answers, and what visitors read otherwise. */
import type { ReactElement } from 'react';
import { formatWeekday } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField, TextArea, TextField } from '../../../ui/field.tsx';
import { explainField } from '../../../ui/problem.ts';
import styles from '../inboxes.module.css';
import type { WebDraftProps } from './draft.ts';
import { DAYS, usualHours, type HoursDraft } from './hours.ts';
import { WEB_CHAT } from './texts.ts';

const HOURS = 'web_config.office_hours';

export function HoursFields({ draft: { hours }, change, error }: WebDraftProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  return (
    <fieldset className={styles['form']}>
      <legend>{texts.hours}</legend>
      <CheckField
        label={texts.hasHours}
        checked={hours !== null}
        onChange={(has) => change({ hours: has ? usualHours() : null })}
      />
      {hours && <Hours hours={hours} error={error} onChange={(next) => change({ hours: { ...hours, ...next } })} />}
    </fieldset>
  );
}

interface HoursProps {
  hours: HoursDraft;
  error: unknown;
  onChange(next: Partial<HoursDraft>): void;
}

function Hours({ hours: { timeZone, days, awayText }, error, onChange }: HoursProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  return (
    <>
      <TextField
        label={texts.timeZone}
        value={timeZone}
        onChange={(next) => onChange({ timeZone: next })}
        error={explainField(error, `${HOURS}.time_zone`)}
      />
      <p className={styles['hint']}>{texts.hoursHint}</p>
      <p role="alert">{explainField(error, `${HOURS}.days`)}</p>
      {DAYS.map((day, index) => (
        <TextField
          key={day}
          label={formatWeekday(index + 1)}
          value={days[index] ?? ''}
          onChange={(text) => onChange({ days: days.map((each, place) => (place === index ? text : each)) })}
        />
      ))}
      <TextArea
        label={texts.awayText}
        value={awayText}
        onChange={(next) => onChange({ awayText: next })}
        error={explainField(error, `${HOURS}.away_text`)}
      />
    </>
  );
}
