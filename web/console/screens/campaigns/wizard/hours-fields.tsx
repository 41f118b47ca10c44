/** The hours and days on which a campaign sends. */
import type { SendingHours } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatWeekday } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { explainField } from '../../../ui/problem.ts';
import { WIZARD } from './texts.ts';
import type { FieldProps } from './parts.ts';
import styles from './wizard.module.css';

const DAYS = [1, 2, 3, 4, 5, 6, 7];
const USUAL: SendingHours = { from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5] };

export function HoursFields({ shown, kept }: FieldProps): ReactElement {
  const texts = useTexts(WIZARD);
  const hours = shown.sending_hours;
  const change = (next: Partial<SendingHours>): void =>
    kept.change({ sending_hours: { ...(hours ?? USUAL), ...next } });
  return (
    <>
      <CheckField
        label={texts.hasHours}
        checked={hours !== null}
        onChange={(has) => kept.change({ sending_hours: has ? USUAL : null })}
      />
      {hours && (
        <>
          <FieldGrid>
            {(['from', 'to'] as const).map((key) => (
              <TextField
                key={key}
                label={texts[key]}
                type="time"
                value={hours[key]}
                onChange={(time) => change({ [key]: time })}
                error={explainField(kept.error, `sending_hours.${key}`)}
              />
            ))}
          </FieldGrid>
          <fieldset className={styles['days']}>
            <legend>{texts.onDays}</legend>
            {DAYS.map((day) => (
              <CheckField
                key={day}
                label={formatWeekday(day)}
                checked={hours.days.includes(day)}
                onChange={(on) =>
                  change({ days: DAYS.filter((each) => (each === day ? on : hours.days.includes(each))) })
                }
              />
            ))}
            <p role="alert" className={styles['problem']}>
              {explainField(kept.error, 'sending_hours.days')}
            </p>
          </fieldset>
        </>
      )}
    </>
  );
}
