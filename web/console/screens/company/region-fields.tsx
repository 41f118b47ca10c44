/** How phone numbers, dates and texts of the company are read and written. */
import { useEffect, useState, type ReactElement } from 'react';
import { LANGUAGES } from '../../../browser/texts.ts';
import { listCountries } from '../../texts/countries.ts';
import { LANGUAGE_NAMES, useLanguage } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { SelectField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { explainField } from '../../ui/problem.ts';
import type { Changes, Draft } from './draft.ts';
import styles from './company.module.css';
import { findPhoneExample } from './phone-example.ts';
import { COMPANY } from './texts.ts';
import { formatLocalTime, listTimeZones } from '../../texts/time-zones.ts';

export interface FieldsProps {
  draft: Draft;
  error: unknown;
  change(changes: Changes): void;
}

export function RegionFields(props: FieldsProps): ReactElement {
  const texts = useTexts(COMPANY);
  const { draft, error, change } = props;
  return (
    <>
      <CountryField {...props} />
      <FieldGrid>
        <SelectField
          label={texts.language}
          hint={texts.languageHint}
          value={draft.language}
          options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          onChange={(language) => change({ language })}
          error={explainField(error, 'general_config.language')}
        />
        <TimeZoneField {...props} />
      </FieldGrid>
    </>
  );
}

function CountryField({ draft: { country }, error, change }: FieldsProps): ReactElement {
  const texts = useTexts(COMPANY);
  const countries = listCountries(useLanguage(), country);
  return (
    <SelectField
      label={texts.country}
      hint={country === '' ? <span className={styles['advice']}>{texts.noCountryHint}</span> : <Reading of={country} />}
      value={country}
      options={[{ value: '', label: texts.noCountry }, ...countries]}
      onChange={(code) => change({ country: code })}
      error={explainField(error, 'general_config.country')}
    />
  );
}

/** How the platform reads a number of the country that has no country code. */
function Reading({ of: country }: { of: string }): ReactElement | null {
  const texts = useTexts(COMPANY);
  const example = findPhoneExample(country);
  return example && <>{texts.readAs(example.local, example.international)}</>;
}

/** The clock below the field is renewed this often. */
const CLOCK_MS = 15_000;

function TimeZoneField({ draft: { time_zone: zone }, error, change }: FieldsProps): ReactElement {
  const texts = useTexts(COMPANY);
  const language = useLanguage();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  const time = formatLocalTime(language, zone, now);
  return (
    <SelectField
      label={texts.timeZone}
      hint={time === null ? texts.timeZoneHint : `${texts.timeZoneHint} ${texts.timeThere(time)}`}
      value={zone}
      options={listTimeZones(language, zone)}
      onChange={(time_zone) => change({ time_zone })}
      error={explainField(error, 'general_config.time_zone')}
    />
  );
}
