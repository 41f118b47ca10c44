/** Lists what agents did, and tries an agent without sending anything. */
import type { Kit } from '../../../kit.ts';
import { invalid } from '../../../platform/values/errors.ts';
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { refuseUnknown } from '../../../platform/store/unknown-references.ts';
import { expectAttachment } from '../../attachments/attachments.ts';
import { expectAgent } from '../agents.ts';
import { findUnknownFilters } from '../queries.ts';
import { findAnswer } from '../answers/find.ts';
import type { AgentTrial, AgentTry, AgentTurn, AgentTurnQuery } from './schemas.ts';
import { listTurns } from './queries.ts';

export async function pageTurns(tenant: Tenant, query: AgentTurnQuery): Promise<Page<AgentTurn>> {
  const { agent = null, conversation = null, outcome = null } = query;
  const filter = { agent, conversation, outcome };
  refuseUnknown(await findUnknownFilters(tenant.read, filter));
  return listTurns(tenant.read, filter, pageWindow('turns', query));
}

/** Answers a message as the agent would, INACTIVE or not. Nothing is sent or stored. */
export async function tryAgent(
  kit: Kit,
  tenant: Tenant,
  id: string,
  { message = '', attachments = [], signal }: AgentTry & { signal: AbortSignal },
): Promise<AgentTrial> {
  const agent = await expectAgent(tenant.read, id);
  if (message === '' && attachments.length === 0)
    throw invalid('message', 'is required unless there is a file', 'REQUIRED');
  for (const [index, each] of attachments.entries()) await expectAttachment(tenant.read, each, `attachments[${index}]`);
  const contact = { name: null, language: null };
  const files = attachments.map((attachment) => ({ message: null, attachment }));
  const question = { before: [], asked: message, texts: [message], files, prefersPdfText: false, contact };
  const { text, reason, work } = await findAnswer(
    { kit, acting: tenant, agent, conversation: null },
    { question, signal },
  );
  if (text !== null) return { outcome: 'ANSWERED', reason, answer: text, handoff_message: null, ...work };
  return { outcome: 'HANDED_OVER', reason, answer: null, handoff_message: agent.handoff_message, ...work };
}
