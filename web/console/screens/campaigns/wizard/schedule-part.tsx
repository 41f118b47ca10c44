/** When the campaign begins, at which hours and how fast it sends, and when it stops by itself. */
import { useState, type ReactElement } from 'react';
import { useCompanyZone } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField, SelectField, TextField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { explainField } from '../../../ui/problem.ts';
import { PaceFields } from './pace-fields.tsx';
import { HoursFields } from './hours-fields.tsx';
import { WIZARD } from './texts.ts';
import type { FieldProps, PartProps } from './parts.ts';
import { toMoment, toZonedTime } from '../../../texts/zoned-time.ts';

export function SchedulePart({ shown, kept }: PartProps): ReactElement {
  return (
    <>
      <BeginFields shown={shown} kept={kept} />
      <HoursFields shown={shown} kept={kept} />
      <PaceFields shown={shown} kept={kept} />
    </>
  );
}

function BeginFields({ shown, kept }: FieldProps): ReactElement {
  const texts = useTexts(WIZARD);
  const companyZone = useCompanyZone();
  const { scheduled_at, time_zone } = shown;
  const zone = time_zone ?? companyZone;
  const [isTimed, setTimed] = useState(scheduled_at !== null);
  const [text, setText] = useState(scheduled_at === null ? '' : toZonedTime(scheduled_at, zone));
  const zones = [...new Set([zone, ...Intl.supportedValuesOf('timeZone')])];
  const time = (next: boolean): void => {
    setTimed(next);
    kept.change({ scheduled_at: next ? toMoment(text, zone) : null });
  };
  return (
    <>
      <CheckField
        label={texts.isTimed}
        hint={isTimed ? undefined : texts.atOnceHint}
        checked={isTimed}
        onChange={time}
      />
      <FieldGrid>
        {isTimed && (
          <TextField
            label={texts.beginsAt}
            type="datetime-local"
            value={text}
            onChange={(next) => {
              setText(next);
              kept.change({ scheduled_at: toMoment(next, zone) });
            }}
            error={explainField(kept.error, 'scheduled_at') ?? (text === '' ? texts.timeMissing : null)}
          />
        )}
        <SelectField<string>
          label={texts.timeZone}
          value={zone}
          options={zones.map((each) => ({ value: each, label: each.replaceAll('_', ' ') }))}
          // The hour that somebody has written stays the same hour in the other zone.
          onChange={(next) => kept.change({ time_zone: next, ...(isTimed && { scheduled_at: toMoment(text, next) }) })}
          error={explainField(kept.error, 'time_zone')}
        />
      </FieldGrid>
    </>
  );
}
