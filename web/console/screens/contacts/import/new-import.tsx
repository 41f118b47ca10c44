/** Chooses a sheet, shows its columns, and starts its import. */
import type { Import } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useAreCustomFieldsLoading, useCustomFields } from '../../../records/company.ts';
import { showContactImport } from '../../../records/imports.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { CountryField } from '../../../ui/sheets/country-field.tsx';
import { useSheetCountry } from '../../../ui/sheets/country.ts';
import { toMappingBody } from '../../../ui/sheets/mapping.ts';
import { SheetChoice, StartButton, type MappedSheet } from '../../../ui/sheets/sheet-choice.tsx';
import { Loading } from '../../../ui/state.tsx';
import { findField, useImportFields } from './fields.ts';
import { isCountryWanted, PhoneNumbers, usePhonePreview } from './phone-preview.tsx';
import { IMPORTS } from './texts.ts';

export function NewImport({ onStarted }: { onStarted(record: Import): void }): ReactElement {
  const custom = useCustomFields('contact');
  const fields = useImportFields();
  // Without the company's own fields, columns that mean one of them would be left out.
  if (useAreCustomFieldsLoading()) return <Loading />;
  return (
    <SheetChoice fields={fields} find={(title) => findField(title, custom)}>
      {(sheet) => <Options sheet={sheet} onStarted={onStarted} />}
    </SheetChoice>
  );
}

function Options({ sheet, onStarted }: { sheet: MappedSheet; onStarted(record: Import): void }): ReactElement {
  const texts = useTexts(IMPORTS);
  const mayUpdate = useMay('contacts:update');
  const [updates, setUpdates] = useState(mayUpdate);
  const [silent, setSilent] = useState(false);
  const country = useSheetCountry();
  const preview = usePhonePreview(sheet, country.code);
  const fields = useImportFields();
  const start = useMutation({
    mutationFn: () =>
      parley.contacts.import({
        file: sheet.file,
        mapping: toMappingBody(sheet.mapping),
        update_existing: updates,
        silent,
        country: country.code,
      }),
    onSuccess: (started) => {
      showContactImport(started);
      onStarted(started);
    },
  });
  return (
    <>
      <FieldGrid>
        <CheckField
          label={texts.updateExisting}
          hint={texts.updateHint}
          checked={updates}
          disabled={!mayUpdate}
          onChange={setUpdates}
        />
        <CheckField label={texts.silent} hint={texts.silentHint} checked={silent} onChange={setSilent} />
        <CountryField value={country.written} onChange={country.write} error={preview.error ?? start.error} />
      </FieldGrid>
      {preview.data && <PhoneNumbers preview={preview.data} />}
      <FormProblem error={start.error} fields={['country']} />
      <StartButton
        sheet={sheet}
        fields={fields}
        missing={isCountryWanted(preview.data) ? texts.countryWanted : null}
        isBusy={start.isPending || preview.isLoading}
        onStart={() => start.mutate()}
      />
    </>
  );
}
