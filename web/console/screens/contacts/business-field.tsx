/** The field of a form that names a business. */
import { useState, type ReactElement } from 'react';
import { findBusinesses, useBusiness } from '../../records/businesses.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { RecordPicker } from '../../ui/record-picker.tsx';
import { COMMON } from '../../ui/texts.ts';
import styles from './contacts.module.css';
import { CONTACTS } from './texts.ts';

interface BusinessFieldProps {
  value: string | null;
  onChange(business: string | null): void;
}

export function BusinessField({ value, onChange }: BusinessFieldProps): ReactElement {
  const label = useTexts(CONTACT_FIELDS).business;
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const { data: business } = useBusiness(value);
  const [isSearching, search] = useState(false);
  if (isSearching) {
    return (
      <RecordPicker
        label={label}
        noun="businesses"
        search={findBusinesses}
        name={({ name }) => name}
        about={({ domain }) => domain}
        onChoose={({ _id }) => {
          onChange(_id);
          search(false);
        }}
      />
    );
  }
  return (
    <div className={styles['business']} role="group" aria-label={label}>
      <span className={styles['label']}>{label}</span>
      <span className={styles['value']}>
        <span>{value === null ? common.none : (business?.name ?? '…')}</span>
        <Button onClick={() => search(true)}>{value === null ? texts.choose : texts.change}</Button>
        {value !== null && <Button onClick={() => onChange(null)}>{common.remove}</Button>}
      </span>
    </div>
  );
}
