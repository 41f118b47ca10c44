/** Makes an agent, or changes one, with a place beside the form where it is tried. Who may not change it reads and tries it. */
import type { Agent } from '@parley/sdk';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { forgetAgent, showAgent } from '../../records/agents.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved, useKeptForm, type KeptForm } from '../../ui/kept-form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { SideBySide } from '../../ui/side-by-side.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { FIELDS, toForm, toUpdate, type AgentForm } from './agent-form.ts';
import { AgentState } from './agent-state.tsx';
import styles from './agents.module.css';
import { AnswerFields } from './answer-fields.tsx';
import { BasicFields } from './basic-fields.tsx';
import { FollowUpFields } from './follow-up-fields.tsx';
import { HandoffFields } from './handoff-fields.tsx';
import { AGENTS } from './texts.ts';
import { TryAgent } from './try-agent.tsx';

/** Null makes a new agent. */
export function AgentEditor({ agent }: { agent: Agent | null }): ReactElement {
  const texts = useTexts(AGENTS);
  const common = useTexts(COMMON);
  const mayWrite = useMay(agent ? 'agents:update' : 'agents:create');
  const kept = useKeptForm(`agent.${agent?._id ?? 'new'}`, agent, toForm);
  const { form, changes, change, discard } = kept;
  const saving = useSaving(agent, kept);
  const part = { form, error: saving.error, isLocked: !mayWrite, onChange: change };
  return (
    <Page
      title={agent?.name ?? texts.newAgent}
      back="/"
      isReadOnly={!mayWrite}
      lead={agent && <AgentState agent={agent} />}
      actions={
        <>
          <Unsaved changes={changes} isBusy={saving.isPending} onDiscard={discard} />
          {agent && <RemoveAgent agent={agent} />}
          {mayWrite && (
            <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate(form)}>
              {agent ? common.save : common.create}
            </Button>
          )}
        </>
      }
    >
      <FormProblem error={saving.error} fields={FIELDS} />
      <SideBySide>
        <div>
          <BasicFields {...part} isNew={agent === null} />
          <AnswerFields {...part} />
          <HandoffFields {...part} />
          <FollowUpFields {...part} />
        </div>
        <div className={styles['beside']}>
          {agent && mayWrite && <TryAgent agent={agent} isChanged={Object.keys(changes).length > 0} />}
          {!agent && (
            <Card title={texts.tryIt}>
              <p className={styles['soft']}>{texts.tryLater}</p>
            </Card>
          )}
        </div>
      </SideBySide>
    </Page>
  );
}

function useSaving(
  agent: Agent | null,
  { settle }: Pick<KeptForm<AgentForm>, 'settle'>,
): UseMutationResult<Agent, Error, AgentForm> {
  const common = useTexts(COMMON);
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (sent) => {
      const body = toUpdate(sent);
      return agent ? parley.agents.update(agent._id, body) : parley.agents.create({ ...body, type: sent.type });
    },
    onSuccess: (saved, sent) => {
      showAgent(saved);
      settle(sent);
      showNotice(common.saved);
      if (!agent) navigate(`/${saved._id}`, { replace: true });
    },
  });
}

function RemoveAgent({ agent }: { agent: Agent }): ReactElement | null {
  const texts = useTexts(AGENTS);
  const mayRemove = useMay('agents:delete');
  const [, navigate] = useLocation();
  if (!mayRemove) return null;
  return (
    <RemoveButton
      meaning={texts.removeMeaning}
      remove={() => parley.agents.delete(agent._id)}
      onRemoved={() => {
        navigate('/');
        forgetAgent(agent._id);
        showNotice(texts.removed(agent.name));
      }}
    />
  );
}
