/** Sets one custom field of several contacts. */
import type { ContactChange, CustomField } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { BULK } from '../../../ui/bulk/texts.ts';
import { CustomFieldInputs, type CustomValue, type CustomValues } from '../../../ui/custom-fields.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { CONTACT_CHANGES } from './texts.ts';

interface FieldDialogProps {
  fields: readonly CustomField[];
  apply(change: ContactChange): void;
  onClose(): void;
}

const NOTHING: CustomValues = new Map();

export function FieldDialog({ fields, apply, onClose }: FieldDialogProps): ReactElement {
  const texts = useTexts(CONTACT_CHANGES);
  const bulk = useTexts(BULK);
  const [slug, choose] = useState(fields[0]?.slug ?? '');
  const [values, setValues] = useState(NOTHING);
  const value = values.get(slug) ?? null;
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  const set = (chosen: CustomValue): void => {
    onClose();
    apply({ custom_fields: { [slug]: chosen } });
  };
  return (
    <Dialog
      title={texts.field}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" onClick={() => set(null)}>
            {texts.clearField}
          </Button>
          <Button kind="primary" disabled={isEmpty} onClick={() => set(value)}>
            {bulk.change}
          </Button>
        </>
      }
    >
      <SelectField<string>
        label={texts.value}
        value={slug}
        options={fields.map((field) => ({ value: field.slug, label: field.title }))}
        onChange={choose}
      />
      <CustomFieldInputs
        fields={fields.filter((field) => field.slug === slug)}
        values={values}
        error={null}
        onChange={setValues}
      />
    </Dialog>
  );
}
