/** Tries the conditions of a rule on the last days, before or after the rule is saved. */
import type { RuleDryRunResult } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { OpenConversationLink } from '../../ui/open-conversation-link.tsx';
import { Card } from '../../ui/page.tsx';
import { toConditions, type RuleForm } from './rule-form.ts';
import styles from './rules.module.css';
import { RULES } from './texts.ts';

export function DryRun({ form }: { form: RuleForm }): ReactElement {
  const texts = useTexts(RULES);
  const trial = useMutation({
    mutationFn: () => parley.rules.dryRun({ event: form.event, conditions: toConditions(form.groups) }),
  });
  return (
    <Card title={texts.dryRun}>
      <p className={styles['soft']}>{texts.dryRunHint}</p>
      <div>
        <Button icon="play" isBusy={trial.isPending} onClick={() => trial.mutate()}>
          {texts.run}
        </Button>
      </div>
      <FormProblem error={trial.error} fields={[]} />
      {trial.data && <Result result={trial.data} isOfMessages={form.event === 'MESSAGE_RECEIVED'} />}
    </Card>
  );
}

function Result({ result, isOfMessages }: { result: RuleDryRunResult; isOfMessages: boolean }): ReactElement {
  const texts = useTexts(RULES);
  const { checked, matched, matches, is_complete } = result;
  const words = isOfMessages ? texts.ofMessages : texts.ofConversations;
  return (
    <>
      <p role="status">
        <strong className={styles['figure']}>{formatNumber(matched)}</strong> {words(formatNumber(checked))}
      </p>
      {checked > 0 && <progress className={styles['bar']} aria-label={texts.share} max={checked} value={matched} />}
      {!is_complete && <p className={styles['soft']}>{texts.newestOnly}</p>}
      <ul className={styles['matches']} aria-label={texts.matches}>
        {matches.map(({ conversation, message, channel, contact_name, text, createdAt }) => (
          <li key={message ?? conversation}>
            <span className={styles['name']}>
              <OpenConversationLink conversation={conversation} label={contact_name ?? texts.nameless} />
              <span className={styles['soft']}>
                {CHANNEL_NAMES[channel]} · {formatListed(createdAt)}
              </span>
            </span>
            <span className={styles['text']} dir="auto">
              {text}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
