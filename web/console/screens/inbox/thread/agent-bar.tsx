/** Says whether an agent or a person answers the conversation, and lets one take over from the other. */
import type { Conversation, ConversationUpdate, ListedAgent } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useLastTurn } from '../../../records/agents.ts';
import { useAgents } from '../../../records/company.ts';
import { HAND_BACK, takeOver, useConversationChange } from '../../../records/conversations.ts';
import { useMay, useSession } from '../../../session/session.ts';
import { formatShort } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { HANDOFF_REASONS } from '../../../ui/agents/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { showError } from '../../../ui/toast.tsx';
import { returnToComposer } from '../../../frame/writing.ts';
import styles from './agent-bar.module.css';
import { AGENT_TEXTS } from './agent-texts.ts';
import { AgentTurnDialog } from './agent-turn-dialog.tsx';
import { FollowUpsLink } from './follow-ups.tsx';

export function AgentBar({ conversation }: { conversation: Conversation }): ReactElement | null {
  const agent = useAgents().find(({ _id }) => _id === conversation.agent);
  if (!agent || conversation.status === 'CLOSED') return null;
  const Bar = conversation.handled_by === 'AI' ? AgentAnswers : PersonAnswers;
  return (
    <div className={styles['bar']} data-active={conversation.handled_by === 'AI'}>
      <Icon name="agent" size={16} />
      <Bar conversation={conversation} agent={agent} />
    </div>
  );
}

interface BarProps {
  conversation: Conversation;
  agent: ListedAgent;
}

function AgentAnswers({ conversation, agent }: BarProps): ReactElement {
  const texts = useTexts(AGENT_TEXTS);
  const { user } = useSession();
  return (
    <>
      <p className={styles['words']}>
        {texts.agentAnswers(agent.name)}
        <FollowUpsLink conversation={conversation} />
      </p>
      <ChangeButton conversation={conversation} label={texts.takeOver} change={takeOver(conversation, user._id)} />
    </>
  );
}

function PersonAnswers({ conversation, agent }: BarProps): ReactElement {
  const texts = useTexts(AGENT_TEXTS);
  const isOff = agent.status === 'INACTIVE';
  return (
    <>
      <p className={styles['words']}>
        {isOff ? texts.agentIsOff(agent.name) : texts.personAnswers(agent.name)}
        <LastHandover conversation={conversation} />
        <FollowUpsLink conversation={conversation} />
      </p>
      {!isOff && <ChangeButton conversation={conversation} label={texts.handBack} change={HAND_BACK} />}
    </>
  );
}

/** Why the agent has handed over the last time, with what it had read. */
function LastHandover({ conversation }: { conversation: Conversation }): ReactElement | null {
  const reasons = useTexts(HANDOFF_REASONS);
  const [isOpen, open] = useState(false);
  const { data: turn } = useLastTurn(conversation);
  if (!turn?.reason) return null;
  return (
    <>
      <button type="button" className={styles['reason']} onClick={() => open(true)}>
        {formatShort(turn.createdAt)} · {reasons[turn.reason]}
      </button>
      {isOpen && <AgentTurnDialog turn={turn} onClose={() => open(false)} />}
    </>
  );
}

interface ChangeButtonProps {
  conversation: Conversation;
  label: string;
  change: ConversationUpdate;
}

function ChangeButton({ conversation, label, change }: ChangeButtonProps): ReactElement | null {
  const may = useMay('conversations:update');
  const changing = useConversationChange(conversation._id);
  if (!may) return null;
  return (
    <Button
      isBusy={changing.isPending}
      onClick={() => {
        changing.mutate(change, { onError: showError });
        returnToComposer();
      }}
    >
      {label}
    </Button>
  );
}
