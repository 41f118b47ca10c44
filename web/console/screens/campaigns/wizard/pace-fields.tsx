/** How fast a campaign sends, and when it stops by itself. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { explainField } from '../../../ui/problem.ts';
import type { FieldProps } from './parts.ts';
import { WIZARD } from './texts.ts';

export function PaceFields(props: FieldProps): ReactElement {
  return (
    <FieldGrid>
      <PaceField name="messages_per_minute" {...props} />
      <PaceField name="error_threshold" {...props} />
    </FieldGrid>
  );
}

interface PaceFieldProps extends FieldProps {
  name: 'messages_per_minute' | 'error_threshold';
}

function PaceField({ name, shown, kept }: PaceFieldProps): ReactElement {
  const texts = useTexts(WIZARD);
  return (
    <NumberField
      label={texts[name]}
      hint={texts[`${name}_hint`]}
      value={shown[name]}
      onChange={(value) => kept.change({ [name]: value })}
      error={explainField(kept.error, name)}
    />
  );
}
