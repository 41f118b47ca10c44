/** The field of a form that names a business. */
import { useState, type ReactElement } from 'react';
import { findBusinesses, useBusiness } from '../../records/businesses.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Details } from '../../ui/details.tsx';
import { RecordPicker } from '../../ui/record-picker.tsx';
import { COMMON } from '../../ui/texts.ts';
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
    <div>
      <Details items={[[label, value === null ? null : (business?.name ?? '…')]]} />
      <Button kind="quiet" onClick={() => search(true)}>
        {texts.change}
      </Button>
      {value !== null && (
        <Button kind="quiet" onClick={() => onChange(null)}>
          {common.remove}
        </Button>
      )}
    </div>
  );
}
