/** The texts of a new template, and an example of each variable in them. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { keyOf, listVariables, type TemplateForm } from './template-draft.ts';
import { TEMPLATES } from './texts.ts';

interface TemplateTextFieldsProps {
  form: TemplateForm;
  change(next: Partial<TemplateForm>): void;
}

export function TemplateTextFields({ form, change }: TemplateTextFieldsProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  return (
    <>
      <TextField label={texts.header} value={form.header} onChange={(header) => change({ header })} />
      <TextArea label={texts.body} hint={texts.bodyHint} value={form.body} onChange={(body) => change({ body })} />
      {listVariables(form).map((variable) => (
        <TextField
          key={keyOf(variable)}
          label={texts.exampleOf(`{{${variable.name}}}`, texts[variable.part])}
          value={form.examples.get(keyOf(variable)) ?? ''}
          onChange={(value) => change({ examples: new Map(form.examples).set(keyOf(variable), value) })}
        />
      ))}
      <TextField label={texts.footer} value={form.footer} onChange={(footer) => change({ footer })} />
      <TextArea
        label={texts.buttons}
        hint={texts.buttonsHint}
        rows={3}
        value={form.buttons}
        onChange={(buttons) => change({ buttons })}
      />
    </>
  );
}
