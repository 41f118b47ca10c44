/** When an agent hands a conversation over to a person, and what the contact is told then. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, TextArea, TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import type { AgentPartProps } from './agent-form.ts';
import { AGENTS } from './texts.ts';

export function HandoffFields({ form, error, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(AGENTS);
  return (
    <Card title={texts.handoff}>
      <TextArea
        label={texts.handoffMessage}
        hint={texts.handoffMessageHint}
        rows={2}
        value={form.handoffMessage}
        disabled={isLocked}
        onChange={(handoffMessage) => onChange({ handoffMessage })}
        error={explainField(error, 'handoff_message')}
      />
      <CheckField
        label={texts.handsOver}
        hint={texts.handsOverHint}
        checked={form.handsOver}
        disabled={isLocked}
        onChange={(handsOver) => onChange({ handsOver })}
      />
      {form.handsOver && (
        <>
          <TextArea
            label={texts.keywords}
            hint={texts.keywordsHint}
            rows={3}
            value={form.keywords}
            disabled={isLocked}
            onChange={(keywords) => onChange({ keywords })}
            error={explainField(error, 'handoff.keywords')}
          />
          <TextField
            label={texts.maxTurns}
            hint={texts.maxTurnsHint}
            inputMode="numeric"
            value={form.maxTurns}
            disabled={isLocked}
            onChange={(maxTurns) => onChange({ maxTurns })}
            error={explainField(error, 'handoff.max_turns')}
          />
        </>
      )}
    </Card>
  );
}
