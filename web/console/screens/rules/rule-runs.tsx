/** What a rule has done. */
import type { Rule, RuleRun } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useConversation } from '../../records/conversations.ts';
import { useRuleRuns } from '../../records/rules.ts';
import { formatListed } from '../../texts/formats.ts';
import { explainCode } from '../../texts/problems.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { OpenConversationLink } from '../../ui/open-conversation-link.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/state.tsx';
import styles from './rules.module.css';
import { RULES } from './texts.ts';

export function RuleRuns({ rule }: { rule: Rule }): ReactElement {
  const texts = useTexts(RULES);
  const { items, error, isLoading, hasMore, isReading, loadMore, reread } = useRuleRuns(rule._id);
  return (
    <Card title={texts.runs}>
      <div className={styles['head']}>
        <p className={styles['soft']}>{!isLoading && items.length === 0 ? texts.noRuns : texts.runsHint}</p>
        <IconButton icon="refresh" label={texts.readAgain} disabled={isReading} onClick={reread} />
      </div>
      {error && <Failure error={error} />}
      <ul className={styles['matches']} aria-label={texts.runs}>
        {items.map((run) => (
          <Run key={run._id} run={run} />
        ))}
      </ul>
      {hasMore && (
        <div>
          <Button kind="quiet" isBusy={isReading} onClick={loadMore}>
            {texts.more}
          </Button>
        </div>
      )}
    </Card>
  );
}

function Run({ run }: { run: RuleRun }): ReactElement {
  const texts = useTexts(RULES);
  const name = useConversation(run.conversation).data?.contact_summary.name;
  const { status, conversation, failure, reply_skipped, createdAt } = run;
  return (
    <li>
      <span className={styles['name']}>
        <Badge tone={status === 'DONE' ? 'good' : 'danger'}>{texts[status]}</Badge>
        <OpenConversationLink conversation={conversation} label={name ?? texts.nameless} />
        <span className={styles['soft']}>{formatListed(createdAt)}</span>
      </span>
      {failure && <span>{explainCode(failure.code, failure.message) ?? failure.message}</span>}
      {reply_skipped && <span className={styles['soft']}>{texts[reply_skipped]}</span>}
    </li>
  );
}
