/** Makes a rule, or changes one: when, if, then. Beside it stand a dry run and what the rule has done. Who may not change it reads it. */
import type { Rule } from '@parley/sdk';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { forgetRule, showRule } from '../../records/rules.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { ActionFields } from '../../ui/actions/action-fields.tsx';
import { RULE_KINDS } from '../../ui/actions/action-kinds.ts';
import { DelayInput } from '../../ui/actions/inputs.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved, useKeptForm, type KeptForm } from '../../ui/kept-form.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { SideBySide } from '../../ui/side-by-side.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { ConditionFields, listConditionPaths } from './condition-fields.tsx';
import { DryRun } from './dry-run.tsx';
import { EVENTS, pickChanged, toBody, toForm, type RuleForm, type RulePartProps } from './rule-form.ts';
import { RuleRuns } from './rule-runs.tsx';
import styles from './rules.module.css';
import { RULES } from './texts.ts';

const FIELDS = ['name', 'after_minutes', 'position', 'actions', ...RULE_KINDS.map((kind) => `actions.${kind}`)];

/** Null makes a new rule. */
export function RuleEditor({ rule }: { rule: Rule | null }): ReactElement {
  const texts = useTexts(RULES);
  const common = useTexts(COMMON);
  const mayWrite = useMay(rule ? 'agents:update' : 'agents:create');
  const kept = useKeptForm(`rule.${rule?._id ?? 'new'}`, rule, toForm);
  const { form, changes, change, discard } = kept;
  const saving = useSaving(rule, kept);
  const { error } = saving;
  const part = { form, error, isLocked: !mayWrite, onChange: change };
  return (
    <Page
      title={rule?.name ?? texts.create}
      back="/"
      isReadOnly={!mayWrite}
      actions={
        <>
          <Unsaved changes={changes} isBusy={saving.isPending} onDiscard={discard} />
          {rule && <RemoveRule rule={rule} />}
          {mayWrite && (
            <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate(form)}>
              {rule ? common.save : common.create}
            </Button>
          )}
        </>
      }
    >
      <FormProblem error={error} fields={[...FIELDS, ...listConditionPaths(form.groups)]} />
      <SideBySide>
        <div>
          <Basics {...part} />
          <Card title={texts.ifTrue}>
            <ConditionFields {...part} />
          </Card>
          <Card title={texts.thenDo}>
            <ActionFields
              draft={form.actions}
              kinds={RULE_KINDS}
              error={error}
              isLocked={!mayWrite}
              onChange={(actions) => part.onChange({ actions })}
            />
            <p className={styles['soft']}>{texts.guards}</p>
          </Card>
        </div>
        <div>
          <DryRun key={JSON.stringify([form.event, form.groups])} form={form} />
          {rule && <RuleRuns rule={rule} />}
        </div>
      </SideBySide>
    </Page>
  );
}

function Basics({ form, error, isLocked, onChange }: RulePartProps): ReactElement {
  const texts = useTexts(RULES);
  return (
    <Card title={texts.when}>
      <SelectField
        label={texts.event}
        value={form.event}
        options={EVENTS.map((value) => ({ value, label: texts[value] }))}
        disabled={isLocked}
        onChange={(event) => onChange({ event })}
      />
      {form.event === 'REPLY_OVERDUE' && (
        <DelayInput
          label={texts.afterMinutes}
          minutes={form.afterMinutes}
          disabled={isLocked}
          error={explainField(error, 'after_minutes')}
          onChange={(afterMinutes) => onChange({ afterMinutes })}
        />
      )}
      <TextField
        label={texts.name}
        value={form.name}
        disabled={isLocked}
        onChange={(name) => onChange({ name })}
        error={explainField(error, 'name')}
      />
      <CheckField
        label={texts.isActive}
        checked={form.isActive}
        disabled={isLocked}
        onChange={(isActive) => onChange({ isActive })}
      />
      {!isLocked && (
        <NumberField
          label={texts.position}
          hint={texts.positionHint}
          value={form.position}
          onChange={(position) => onChange({ position })}
          error={explainField(error, 'position')}
        />
      )}
    </Card>
  );
}

function useSaving(
  rule: Rule | null,
  { settle }: Pick<KeptForm<RuleForm>, 'settle'>,
): UseMutationResult<Rule, Error, RuleForm> {
  const common = useTexts(COMMON);
  const [, navigate] = useLocation();
  return useMutation({
    // What somebody else has changed meanwhile, such as turning the rule off, stays.
    mutationFn: (sent) =>
      rule ? parley.rules.update(rule._id, pickChanged(toForm(rule), sent)) : parley.rules.create(toBody(sent)),
    onSuccess: (saved, sent) => {
      showRule(saved);
      settle(sent);
      showNotice(common.saved);
      if (!rule) navigate(`/${saved._id}`, { replace: true });
    },
  });
}

function RemoveRule({ rule }: { rule: Rule }): ReactElement | null {
  const texts = useTexts(RULES);
  const mayRemove = useMay('agents:delete');
  const [, navigate] = useLocation();
  if (!mayRemove) return null;
  return (
    <RemoveButton
      remove={() => parley.rules.delete(rule._id)}
      onRemoved={() => {
        navigate('/');
        forgetRule(rule._id);
        showNotice(texts.removed(rule.name));
      }}
    />
  );
}
