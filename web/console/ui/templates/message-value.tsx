/** One value of a template that is sent to many: a text that is the same for all, or a field of each contact. */
import type { TemplateParameter } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { SelectField, TextField, type Option } from '../field.tsx';
import { FieldGrid } from '../field-grid.tsx';
import { COLUMN, isFile, type GivenValue } from './template-values.ts';
import { useParameterName, ValueField } from './value-field.tsx';
import { TEMPLATE_FORMS } from './texts.ts';

interface MessageValueProps {
  parameter: TemplateParameter;
  fields: readonly Option[];
  value: GivenValue | undefined;
  /** A sheet of contacts may bring values of its own. */
  hasColumns: boolean;
  onChange(value: GivenValue): void;
}

export function MessageValue({ parameter, fields, value, hasColumns, onChange }: MessageValueProps): ReactElement {
  const texts = useTexts(TEMPLATE_FORMS);
  const name = useParameterName()(parameter);
  const field = value && 'field' in value ? value.field : '';
  const isColumn = field.startsWith(COLUMN);
  const columns = hasColumns || isColumn ? [{ value: COLUMN, label: texts.ofColumn }] : [];
  if (isFile(parameter)) return <ValueField {...{ parameter, value, onChange }} />;
  return (
    <FieldGrid>
      <SelectField<string>
        label={texts.source(name)}
        value={isColumn ? COLUMN : field}
        options={[{ value: '', label: texts.sameText }, ...fields, ...columns]}
        onChange={(next) => onChange(next === '' ? { text: '' } : { field: next, otherwise: '' })}
      />
      {isColumn && (
        <TextField
          label={texts.columnTitle(name)}
          value={field.slice(COLUMN.length)}
          onChange={(title) => onChange({ field: `${COLUMN}${title}`, otherwise: readOtherwise(value) })}
        />
      )}
      {value && 'field' in value ? (
        <TextField
          label={texts.otherwise(name)}
          hint={texts.otherwiseHint}
          value={value.otherwise}
          onChange={(otherwise) => onChange({ field, otherwise })}
        />
      ) : (
        <ValueField {...{ parameter, value, onChange }} />
      )}
    </FieldGrid>
  );
}

const readOtherwise = (value: GivenValue | undefined): string => (value && 'field' in value ? value.otherwise : '');
