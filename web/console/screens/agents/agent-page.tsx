import { isParleyError } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useAgent } from '../../records/agents.ts';
import { useTexts } from '../../texts/texts.ts';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { AgentEditor } from './agent-editor.tsx';
import { AGENTS } from './texts.ts';

/** The form of one agent, as soon as the agent was read. */
export function AgentPage({ id }: { id: string }): ReactElement {
  const texts = useTexts(AGENTS);
  const { data: agent, error } = useAgent(id);
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="agent" title={texts.noAgent} />;
  if (error) return <Failure error={error} />;
  if (!agent) return <Loading />;
  return <AgentEditor agent={agent} />;
}
