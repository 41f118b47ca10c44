/** How fast a campaign sends, and when it stops by itself. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { TextField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { explainField } from '../../../ui/problem.ts';
import type { FieldProps } from './parts.ts';
import { WIZARD } from './texts.ts';

export function PaceFields(props: FieldProps): ReactElement {
  return (
    <FieldGrid>
      <NumberField name="messages_per_minute" {...props} />
      <NumberField name="error_threshold" {...props} />
    </FieldGrid>
  );
}

interface NumberFieldProps extends FieldProps {
  name: 'messages_per_minute' | 'error_threshold';
}

function NumberField({ name, shown, kept }: NumberFieldProps): ReactElement {
  const texts = useTexts(WIZARD);
  const [text, setText] = useState(String(shown[name] ?? ''));
  return (
    <TextField
      label={texts[name]}
      hint={texts[`${name}_hint`]}
      type="number"
      min={1}
      value={text}
      onChange={(next) => {
        setText(next);
        kept.change({ [name]: next === '' ? null : Number(next) });
      }}
      error={explainField(kept.error, name)}
    />
  );
}
