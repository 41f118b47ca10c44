/** Whether messages leave for a few numbers only, and for which. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, TextArea } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import type { DraftProps } from './draft.ts';
import { SETTINGS } from './settings-texts.ts';

export function TestMode({ draft: { test_mode }, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  return (
    <>
      <CheckField
        label={texts.testMode}
        hint={texts.testModeHint}
        checked={test_mode.enabled}
        onChange={(enabled) => change({ test_mode: { ...test_mode, enabled } })}
      />
      {test_mode.enabled && (
        <TextArea
          label={texts.testNumbers}
          hint={texts.testNumbersHint}
          value={test_mode.test_numbers.join('\n')}
          onChange={(text) => change({ test_mode: { ...test_mode, test_numbers: text.split('\n') } })}
          error={explainField(error, 'test_mode')}
        />
      )}
    </>
  );
}
