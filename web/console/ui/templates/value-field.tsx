/** The field for one value of a template: a text, or a file that is uploaded. */
import type { TemplateParameter } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { TextField } from '../field.tsx';
import { FileField } from '../file-field.tsx';
import { FormProblem } from '../form-problem.tsx';
import { useFieldUpload } from '../uploads/field-upload.ts';
import { isFile, readText, type GivenValue } from './template-values.ts';
import { TEMPLATE_FORMS } from './texts.ts';

interface ValueFieldProps {
  parameter: TemplateParameter;
  value: GivenValue | undefined;
  onChange(value: GivenValue): void;
}

export function ValueField({ parameter, value, onChange }: ValueFieldProps): ReactElement {
  const texts = useTexts(TEMPLATE_FORMS);
  const label = useParameterName()(parameter);
  const { isBusy, problem, upload } = useFieldUpload(({ _id, meta }) =>
    onChange({ attachment: _id, name: meta.fileName }),
  );
  if (isFile(parameter)) {
    return (
      <div>
        <FileField
          label={label}
          choose={texts.chooseFile}
          name={value && 'name' in value ? value.name : null}
          isBusy={isBusy}
          onChoose={upload}
        />
        <FormProblem error={problem} fields={[]} />
      </div>
    );
  }
  return (
    <TextField
      label={label}
      hint={parameter.example && texts.example(parameter.example)}
      value={readText(value)}
      onChange={(text) => onChange({ text })}
    />
  );
}

/** Returns a function that says where a value stands: “Value 1”, or “Header”. */
export function useParameterName(): (parameter: TemplateParameter) => string {
  const texts = useTexts(TEMPLATE_FORMS);
  return ({ component, index, name, position }) => {
    const part = component === 'HEADER' ? texts.header : component === 'BUTTON' ? texts.button((index ?? 0) + 1) : null;
    const value = component === 'BODY' || part === null ? texts.value(name ?? String(position)) : null;
    return [part, value].filter(Boolean).join(' · ');
  };
}
