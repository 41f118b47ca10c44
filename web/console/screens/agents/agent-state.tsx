/** Whether an agent answers, and whose new conversations it gets. */
import type { ListedAgent } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../client.ts';
import { useDefaultInboxes } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import styles from './agents.module.css';
import { AGENT_STATES, AGENTS } from './texts.ts';

export function StatusBadge({ status }: Pick<ListedAgent, 'status'>): ReactElement {
  return <Badge tone={status === 'ACTIVE' ? 'good' : 'plain'}>{useTexts(AGENT_STATES)[status]}</Badge>;
}

/** The state below the title of an agent, with the inboxes whose new conversations it gets. */
export function AgentState({ agent: { _id, status } }: { agent: ListedAgent }): ReactElement {
  const texts = useTexts(AGENTS);
  const inboxes = useDefaultInboxes(_id);
  return (
    <span className={styles['state']}>
      <StatusBadge status={status} />
      {inboxes.length === 0 ? texts.defaultNowhere : texts.defaultIn}
      {inboxes.map((inbox) => (
        <Link key={inbox._id} href={toScreen(`/inboxes/${inbox._id}`)}>
          {inbox.name}
        </Link>
      ))}
    </span>
  );
}
