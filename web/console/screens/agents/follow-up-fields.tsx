/** What an agent writes, one after the other, to a contact who does not answer. */
import type { ReactElement } from 'react';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { DelayFields } from '../../ui/delay-fields.tsx';
import { toDelay, UNITS } from '../../ui/delay.ts';
import { TextArea } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { ChosenTemplate } from '../../ui/templates/chosen-template.tsx';
import { COMMON } from '../../ui/texts.ts';
import type { AgentPartProps, FollowUpForm } from './agent-form.ts';
import styles from './agents.module.css';
import { FOLLOW_UPS } from './follow-up-texts.ts';

/** As many as the API takes. */
const MOST_RULES = 5;
const NEW: FollowUpForm = { delay: toDelay(UNITS.hour), content: '', template: null };

export function FollowUpFields({ form, error, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(FOLLOW_UPS);
  const { followUps } = form;
  return (
    <Card title={texts.title}>
      <p className={styles['soft']}>{texts.hint}</p>
      {followUps.length > 0 && (
        <ol className={styles['rules']}>
          {followUps.map((rule, index) => (
            // Rules have no names of their own: their place is what they are.
            <Rule
              key={index}
              {...{ rule, index, error, isLocked }}
              onChange={(next) => onChange({ followUps: followUps.with(index, next) })}
              onRemove={() => onChange({ followUps: followUps.toSpliced(index, 1) })}
            />
          ))}
        </ol>
      )}
      {followUps.length < MOST_RULES && !isLocked && (
        <div>
          <Button icon="plus" onClick={() => onChange({ followUps: [...followUps, NEW] })}>
            {texts.add}
          </Button>
        </div>
      )}
    </Card>
  );
}

interface RuleProps {
  rule: FollowUpForm;
  index: number;
  error: unknown;
  isLocked: boolean;
  onChange(rule: FollowUpForm): void;
  onRemove(): void;
}

function Rule({ rule, index, error, isLocked, onChange, onRemove }: RuleProps): ReactElement {
  const texts = useTexts(FOLLOW_UPS);
  const common = useTexts(COMMON);
  const name = texts.rule(formatNumber(index + 1));
  const path = `follow_ups[${index}]`;
  return (
    <li className={styles['rule']} aria-label={name}>
      <header className={styles['ruleHead']}>
        <strong>{name}</strong>
        {!isLocked && <IconButton icon="remove" label={`${common.remove}: ${name}`} onClick={onRemove} />}
      </header>
      <div className={styles['delay']}>
        <DelayFields
          label={index === 0 ? texts.first : texts.later}
          delay={rule.delay}
          disabled={isLocked}
          onChange={(delay) => onChange({ ...rule, delay })}
          error={explainField(error, `${path}.delay_minutes`)}
        />
      </div>
      <TextArea
        label={texts.content}
        rows={2}
        value={rule.content}
        disabled={isLocked}
        onChange={(content) => onChange({ ...rule, content })}
        error={explainField(error, `${path}.content`)}
      />
      <ChosenTemplate
        name={name}
        template={rule.template}
        words={rule.template === null ? texts.closed : texts.template(rule.template.name)}
        isLocked={isLocked}
        onChange={(template) => onChange({ ...rule, template })}
      />
      <p className={styles['problem']} role="alert">
        {explainField(error, `${path}.template`)}
      </p>
    </li>
  );
}
