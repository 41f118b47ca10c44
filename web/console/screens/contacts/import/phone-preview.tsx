/** What the import makes of the first phone numbers of a sheet. The platform reads them, so that the page shows what will be stored. */
import type { PhonePreview } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import type { MappedSheet } from '../../../ui/sheets/sheet-choice.tsx';
import styles from './import.module.css';
import { IMPORTS } from './texts.ts';

/** A country is asked about once both of its letters are there. */
const COUNTRY = /^[A-Z]{2}$/;
/** The most letters of a cell that the platform previews. */
const MAX_LETTERS = 200;

/** Previews the first phone numbers, again after each change of the mapping or the country. Disabled if no column has phone numbers. */
export function usePhonePreview(sheet: MappedSheet, country: string | undefined): UseQueryResult<PhonePreview> {
  const phone_numbers = listNumbers(sheet);
  return useQuery({
    queryKey: ['phone_preview', country, phone_numbers],
    queryFn: ({ signal }) => parley.contacts.previewPhones({ phone_numbers, country }, { signal }),
    enabled: phone_numbers.length > 0 && (country === undefined || COUNTRY.test(country)),
  });
}

function listNumbers({ head, mapping }: MappedSheet): string[] {
  const title = [...(mapping ?? [])].find(([, field]) => field === 'phone_number')?.[0];
  const column = title === undefined ? -1 : (head?.titles.indexOf(title) ?? -1);
  const cells = head?.examples.map((row) => (row[column] ?? '').trim().slice(0, MAX_LETTERS)) ?? [];
  return cells.filter(Boolean);
}

/** True when a number is refused because no country is known. */
export const isCountryWanted = (preview: PhonePreview | undefined): boolean =>
  preview?.phone_numbers.some(({ wants_country }) => wants_country) ?? false;

export function PhoneNumbers({ preview }: { preview: PhonePreview }): ReactElement {
  const texts = useTexts(IMPORTS);
  return (
    <section className={styles['numbers']} aria-label={texts.numbers}>
      <h3>{texts.numbers}</h3>
      <ul>
        {preview.phone_numbers.map((number, place) => (
          <li key={place}>
            <span className={styles['written']}>{number.written}</span> <span aria-hidden>→</span>{' '}
            <Reading number={number} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Reading({ number }: { number: PhonePreview['phone_numbers'][number] }): ReactElement {
  const texts = useTexts(IMPORTS);
  const { phone_number, country_code, wants_country, error } = number;
  if (phone_number === null)
    return <span className={styles['refused']}>{wants_country ? texts.noCountryCode : error}</span>;
  return <strong>{[phone_number, country_code].filter(Boolean).join(' · ')}</strong>;
}
