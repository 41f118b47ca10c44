/** How an inbox treats its messages. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { CheckField } from '../../ui/field.tsx';
import type { DraftProps } from './draft.ts';
import { SETTINGS } from './settings-texts.ts';

export function MessageSwitches({ draft, change }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  return (
    <>
      <CheckField
        label={texts.operatorName}
        hint={texts.operatorNameHint}
        checked={draft.general_config.include_operator_name_on_message}
        onChange={(isOn) => change({ general_config: { include_operator_name_on_message: isOn } })}
      />
      <CheckField
        label={texts.noAi}
        hint={texts.noAiHint}
        checked={draft.disable_inbound_ai}
        onChange={(isOn) => change({ disable_inbound_ai: isOn })}
      />
      <CheckField
        label={texts.unsupported}
        hint={texts.unsupportedHint}
        checked={draft.process_unsupported_messages}
        onChange={(isOn) => change({ process_unsupported_messages: isOn })}
      />
      <CheckField
        label={texts.pdf}
        hint={texts.pdfHint}
        checked={draft.pdf_local_text_extraction}
        onChange={(isOn) => change({ pdf_local_text_extraction: isOn })}
      />
    </>
  );
}
