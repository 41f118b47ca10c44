/** Chooses a sheet, shows its columns, and starts its import. */
import type { Import } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useAreCustomFieldsLoading, useCustomFields } from '../../../records/company.ts';
import { showContactImport } from '../../../records/imports.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { CountryField } from '../../../ui/sheets/country-field.tsx';
import { useSheetCountry } from '../../../ui/sheets/country.ts';
import { toMappingBody } from '../../../ui/sheets/mapping.ts';
import { SheetChoice, StartButton, type MappedSheet } from '../../../ui/sheets/sheet-choice.tsx';
import { Loading } from '../../../ui/state.tsx';
import { CustomFieldDialog } from '../../fields/custom-field-dialog.tsx';
import { findField, isIdentifying, useImportFields } from './fields.ts';
import { isCountryWanted, PhoneNumbers, usePhonePreview } from './phone-preview.tsx';
import { IMPORTS } from './texts.ts';

export function NewImport({ onStarted }: { onStarted(record: Import): void }): ReactElement {
  const custom = useCustomFields('contact');
  const fields = useImportFields();
  const mayDefine = useMay('custom-fields:create');
  // Without the company's own fields, columns that mean one of them would be left out.
  if (useAreCustomFieldsLoading()) return <Loading />;
  return (
    <SheetChoice
      fields={fields}
      find={(title) => findField(title, custom)}
      define={
        mayDefine
          ? (title, onEnd) => (
              <CustomFieldDialog
                field={null}
                draft={{ title, context: 'contact' }}
                onSaved={({ slug }) => onEnd(`custom_fields.${slug}`)}
                onClose={() => onEnd(null)}
              />
            )
          : undefined
      }
    >
      {(sheet) => <Options sheet={sheet} onStarted={onStarted} />}
    </SheetChoice>
  );
}

function Options({ sheet, onStarted }: { sheet: MappedSheet; onStarted(record: Import): void }): ReactElement {
  const texts = useTexts(IMPORTS);
  const mayUpdate = useMay('contacts:update');
  const [updates, setUpdates] = useState(mayUpdate);
  const [silent, setSilent] = useState(false);
  const [tag, setTag] = useState('');
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
        tag: tag.trim() || undefined,
      }),
    onSuccess: (started) => {
      showContactImport(started);
      onStarted(started);
    },
  });
  const numbers = isCountryWanted(preview.data) ? texts.countryWanted : null;
  const missing = isIdentifying(sheet.mapping) ? numbers : texts.identifierWanted;
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
        <TextField
          label={texts.tag}
          hint={texts.tagHint}
          value={tag}
          onChange={setTag}
          error={explainField(start.error, 'tag')}
        />
        <CountryField value={country.written} onChange={country.write} error={preview.error ?? start.error} />
      </FieldGrid>
      {preview.data && <PhoneNumbers preview={preview.data} />}
      <FormProblem error={start.error} fields={['country', 'tag']} />
      <StartButton
        sheet={sheet}
        fields={fields}
        missing={missing}
        isBusy={start.isPending || preview.isLoading}
        onStart={() => start.mutate()}
      />
    </>
  );
}
