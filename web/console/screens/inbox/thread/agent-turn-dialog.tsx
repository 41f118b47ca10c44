/** What an agent has read and done in one turn. */
import type { AgentTurn, Message } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../client.ts';
import { useAnswerTurn } from '../../../records/agents.ts';
import { useAgents } from '../../../records/company.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { AgentOutcome, AgentWork } from '../../../ui/agents/agent-work.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Empty, Failure, Loading } from '../../../ui/state.tsx';
import { findReturn } from '../../../frame/writing.ts';
import { AGENT_TEXTS } from './agent-texts.ts';
import styles from './message.module.css';

export function AgentTurnDialog({ turn, onClose }: { turn: AgentTurn; onClose(): void }): ReactElement {
  const texts = useTexts(AGENT_TEXTS);
  return (
    <Dialog title={texts.turn} onClose={onClose} finalFocus={findReturn}>
      <Turn turn={turn} />
    </Dialog>
  );
}

/** Opens what the agent has read for its answer. */
export function AgentTurnButton({ message }: { message: Message }): ReactElement {
  const texts = useTexts(AGENT_TEXTS);
  const [isOpen, open] = useState(false);
  return (
    <>
      <button type="button" className={styles['work']} onClick={() => open(true)}>
        <Icon name="agent" size={13} />
        {texts.open}
      </button>
      {isOpen && <AnswerTurnDialog message={message} onClose={() => open(false)} />}
    </>
  );
}

/** The turn that has led to an answer. Turns are kept for 90 days. */
function AnswerTurnDialog({ message, onClose }: { message: Message; onClose(): void }): ReactElement {
  const texts = useTexts(AGENT_TEXTS);
  const { data: turn, error } = useAnswerTurn(message);
  return (
    <Dialog title={texts.turn} onClose={onClose} finalFocus={findReturn}>
      {error ? <Failure error={error} /> : turn === undefined && <Loading />}
      {turn === null && <Empty icon="agent" title={texts.turnGone} />}
      {turn && <Turn turn={turn} />}
    </Dialog>
  );
}

function Turn({ turn }: { turn: AgentTurn }): ReactElement {
  const agent = useAgents().find(({ _id }) => _id === turn.agent);
  return (
    <>
      <p>
        {agent && (
          <>
            <Link href={toScreen(`/agents/${agent._id}`)}>{agent.name}</Link>
            {' · '}
          </>
        )}
        {formatMoment(turn.createdAt)}
      </p>
      <p>
        <AgentOutcome reason={turn.reason} />
      </p>
      <AgentWork work={turn} />
    </>
  );
}
