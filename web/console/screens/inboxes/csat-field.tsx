import type { ReactElement } from 'react';
import { useCompanyLanguage } from '../../records/company.ts';
import { LANGUAGE_NAMES } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, TextArea } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import type { DraftProps } from './draft.ts';
import { SETTINGS } from './settings-texts.ts';

/** Whether contacts are asked if they were satisfied, and how. */
export function CsatField({ draft, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  const language = useCompanyLanguage();
  const { csat_question } = draft;
  return (
    <>
      <CheckField
        label={texts.csat}
        hint={texts.csatHint}
        checked={csat_question !== null}
        onChange={(isOn) => change({ csat_question: isOn ? SETTINGS[language].csatUsual : null })}
      />
      {csat_question !== null && (
        <TextArea
          label={texts.csatQuestion}
          hint={texts.csatLanguage(LANGUAGE_NAMES[language])}
          value={csat_question}
          onChange={(question) => change({ csat_question: question })}
          error={explainField(error, 'csat_question')}
        />
      )}
    </>
  );
}
