/** Asks an agent as a contact would, and shows what would be sent. Nothing is sent or stored. */
import type { Agent, AgentTrial } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { tryAgent } from '../../records/agents.ts';
import { useTexts } from '../../texts/texts.ts';
import { AgentOutcome, AgentWork } from '../../ui/agents/agent-work.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import styles from './agents.module.css';
import { AGENTS } from './texts.ts';

interface TryAgentProps {
  agent: Agent;
  /** The form has changes that are not saved, which the answer does not follow yet. */
  isChanged: boolean;
}

export function TryAgent({ agent, isChanged }: TryAgentProps): ReactElement {
  const texts = useTexts(AGENTS);
  const [question, setQuestion] = useState('');
  const trying = useMutation({ mutationFn: (message: string) => tryAgent(agent._id, message) });
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    if (!trying.isPending) trying.mutate(question);
  };
  return (
    <Card title={texts.tryIt}>
      <p className={styles['soft']}>{isChanged ? texts.tryUnsaved : texts.tryHint}</p>
      <form className={styles['question']} onSubmit={ask}>
        <TextField
          label={texts.question}
          value={question}
          onChange={setQuestion}
          error={explainField(trying.error, 'message')}
        />
        <div>
          <Button type="submit" icon="send" isBusy={trying.isPending} disabled={question.trim() === ''}>
            {texts.ask}
          </Button>
        </div>
      </form>
      <FormProblem error={trying.error} fields={['message']} />
      <div role="status">{trying.data && <Trial question={trying.variables} trial={trying.data} />}</div>
    </Card>
  );
}

function Trial({ question, trial }: { question: string; trial: AgentTrial }): ReactElement {
  const { answer, outcome, reason } = trial;
  const texts = useTexts(AGENTS);
  return (
    <div className={styles['trial']}>
      <p className={styles['asked']}>{question}</p>
      {answer === null ? null : <p className={styles['answer']}>{answer}</p>}
      <p className={styles['outcome']}>
        <Badge tone={outcome === 'ANSWERED' ? 'good' : 'warning'}>
          {outcome === 'ANSWERED' ? texts.wouldAnswer : texts.wouldHandOver}
        </Badge>
        {reason !== null && <AgentOutcome reason={reason} />}
      </p>
      <AgentWork work={trial} />
    </div>
  );
}
