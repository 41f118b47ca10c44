/** Asks an agent as a contact would, and shows what would be sent. Nothing is sent or stored. */
import type { Agent, AgentTrial, AgentTry } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { tryAgent } from '../../records/agents.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { AgentOutcome, AgentWork } from '../../ui/agents/agent-work.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { FileButton } from '../../ui/uploads/file-button.tsx';
import { UploadList } from '../../ui/uploads/upload-list.tsx';
import { useUploads } from '../../ui/uploads/uploads.ts';
import styles from './agents.module.css';
import { AGENTS } from './texts.ts';

interface TryAgentProps {
  agent: Agent;
  /** The form has changes that are not saved, which the answer does not follow yet. */
  isChanged: boolean;
}

/** A try takes so many files. */
const MOST_FILES = 4;

export function TryAgent({ agent, isChanged }: TryAgentProps): ReactElement {
  const texts = useTexts(AGENTS);
  const mayUpload = useMay('attachments:create');
  const [question, setQuestion] = useState('');
  const uploads = useUploads(MOST_FILES);
  const trying = useMutation({ mutationFn: (asked: Asked) => tryAgent(agent._id, toTry(asked)) });
  const canAsk = (question.trim() !== '' || uploads.files.length > 0) && uploads.isReady;
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    const files = uploads.files.flatMap(({ name, attachment }) => (attachment ? [{ name, id: attachment._id }] : []));
    if (canAsk && !trying.isPending) trying.mutate({ question: question.trim(), files });
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
        <UploadList files={uploads.files} onRemove={uploads.remove} onRetry={uploads.retry} />
        <div className={styles['ask']}>
          {mayUpload && <FileButton onFiles={uploads.add} />}
          <Button type="submit" icon="send" isBusy={trying.isPending} disabled={!canAsk}>
            {texts.ask}
          </Button>
        </div>
      </form>
      <FormProblem error={trying.error} fields={['message']} />
      <div role="status">{trying.data && <Trial asked={trying.variables} trial={trying.data} />}</div>
    </Card>
  );
}

/** What a contact would write and send. */
interface Asked {
  question: string;
  files: { name: string; id: string }[];
}

const toTry = ({ question, files }: Asked): AgentTry => ({
  ...(question !== '' && { message: question }),
  ...(files.length > 0 && { attachments: files.map(({ id }) => id) }),
});

function Trial({ asked, trial }: { asked: Asked; trial: AgentTrial }): ReactElement {
  const { answer, handoff_message, outcome, reason } = trial;
  const texts = useTexts(AGENTS);
  const told = answer ?? handoff_message;
  return (
    <div className={styles['trial']}>
      <p className={styles['asked']}>
        {[asked.question, ...asked.files.map(({ name }) => name)].filter(Boolean).join('\n')}
      </p>
      {told === null ? null : <p className={styles['answer']}>{told}</p>}
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
