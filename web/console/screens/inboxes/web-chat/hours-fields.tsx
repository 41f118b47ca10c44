/** When the company answers, and what visitors read otherwise. */
import type { ReactElement } from 'react';
import { useCompanyZone } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField, TextArea } from '../../../ui/field.tsx';
import { WeekFields } from '../../../ui/hours/week-fields.tsx';
import { explainField } from '../../../ui/problem.ts';
import styles from '../inboxes.module.css';
import type { WebDraftProps } from './draft.ts';
import { usualHours, type HoursDraft } from './hours.ts';
import { WEB_CHAT } from './texts.ts';

const HOURS = 'web_config.office_hours';

interface HoursFieldsProps extends WebDraftProps {
  /** The inbox has business hours, which hold instead of these. */
  isReplaced: boolean;
}

export function HoursFields({ draft: { hours }, change, error, isReplaced }: HoursFieldsProps): ReactElement | null {
  const texts = useTexts(WEB_CHAT);
  const zone = useCompanyZone();
  if (isReplaced) return null;
  return (
    <fieldset className={styles['form']}>
      <legend>{texts.hours}</legend>
      <CheckField
        label={texts.hasHours}
        hint={texts.hoursHint}
        checked={hours !== null}
        onChange={(has) => change({ hours: has ? usualHours(zone) : null })}
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

function Hours({ hours, error, onChange }: HoursProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  return (
    <>
      <WeekFields week={hours} error={error} path={`${HOURS}.`} onChange={onChange} />
      <TextArea
        label={texts.awayText}
        value={hours.awayText}
        onChange={(next) => onChange({ awayText: next })}
        error={explainField(error, `${HOURS}.away_text`)}
      />
    </>
  );
}
