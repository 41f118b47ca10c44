/** What a rule has done. */
import type { Rule, RuleRun } from '@parley/sdk';
import type { ReactElement } from 'react';
import { nameSummary } from '../../records/contacts.ts';
import { useConversation } from '../../records/conversations.ts';
import { useMessage } from '../../records/messages.ts';
import { useRuleRuns } from '../../records/rules.ts';
import { formatListed } from '../../texts/formats.ts';
import { explainCode } from '../../texts/problems.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { OpenConversationLink } from '../../ui/open-conversation-link.tsx';
import { Card } from '../../ui/page.tsx';
import { Preview } from '../../ui/preview.tsx';
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
  const { status, conversation, message, failure, reply_skipped, createdAt } = run;
  const { data } = useConversation(conversation);
  const name = data ? nameSummary(data.contact_summary) : null;
  return (
    <li>
      <span className={styles['name']}>
        <Badge tone={status === 'DONE' ? 'good' : 'danger'}>{texts[status]}</Badge>
        <OpenConversationLink {...{ conversation, message }} label={name ?? texts.nameless} />
        <span className={styles['soft']}>{formatListed(createdAt)}</span>
      </span>
      {message !== null && <StartedBy {...{ conversation, message }} />}
      {failure && <span>{explainCode(failure.code, failure.message) ?? failure.message}</span>}
      {reply_skipped && <span className={styles['soft']}>{texts[reply_skipped]}</span>}
    </li>
  );
}

/** The message that started a run; nothing once it was erased. */
function StartedBy({ conversation, message }: { conversation: string; message: string }): ReactElement | null {
  const { data } = useMessage(conversation, message);
  if (!data) return null;
  return (
    <span className={styles['text']} dir="auto">
      <Preview message={data} />
    </span>
  );
}
