/** Where the chat is shown and how it looks. */
import type { ReactElement } from 'react';
import { LANGUAGES } from '../../../../browser/texts.ts';
import { LANGUAGE_NAMES } from '../../../texts/language.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { explainField } from '../../../ui/problem.ts';
import type { WebDraftProps } from './draft.ts';
import { WEB_CHAT } from './texts.ts';

export function LookFields({ draft, change, error }: WebDraftProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  const explain = (field: string): string | null => explainField(error, `web_config.${field}`);
  const languages = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));
  return (
    <>
      <TextArea
        label={texts.origins}
        hint={texts.originsHint}
        value={draft.origins}
        onChange={(origins) => change({ origins })}
        error={explain('allowed_origins')}
      />
      <TextField
        label={texts.color}
        type="color"
        value={draft.color}
        onChange={(color) => change({ color })}
        error={explain('color')}
      />
      <SelectField
        label={texts.position}
        value={draft.position}
        options={(['LEFT', 'RIGHT'] as const).map((value) => ({ value, label: texts[value] }))}
        onChange={(position) => change({ position })}
      />
      <TextField
        label={texts.heading}
        hint={texts.headingHint}
        value={draft.title ?? ''}
        onChange={(title) => change({ title })}
        error={explain('title')}
      />
      <TextField
        label={texts.avatar}
        type="url"
        placeholder="https://"
        value={draft.avatar_url ?? ''}
        onChange={(avatar_url) => change({ avatar_url })}
        error={explain('avatar_url')}
      />
      <TextArea
        label={texts.welcome}
        value={draft.welcome_text ?? ''}
        onChange={(welcome_text) => change({ welcome_text })}
        error={explain('welcome_text')}
      />
      <TextArea
        label={texts.replies}
        hint={texts.repliesHint}
        value={draft.replies}
        onChange={(replies) => change({ replies })}
        error={explain('quick_replies')}
      />
      <SelectField
        label={texts.language}
        value={draft.language ?? ''}
        options={[{ value: '', label: texts.browserLanguage }, ...languages]}
        onChange={(language) => change({ language: language || null })}
      />
      <CheckField
        label={texts.operatorNames}
        checked={draft.show_operator_names}
        onChange={(show_operator_names) => change({ show_operator_names })}
      />
    </>
  );
}
