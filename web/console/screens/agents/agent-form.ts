/** What the form of an agent holds: numbers and lists as the texts that are typed. */
import type { Agent, AgentUpdate, FollowUpRule, GivenTemplate } from '@parley/sdk';
import { toNumber, writeNumber } from '../../texts/formats.ts';
import { readMinutes, toDelay, type Delay } from '../../ui/delay.ts';

export interface FollowUpForm {
  delay: Delay;
  content: string;
  template: GivenTemplate | null;
}

export interface AgentForm {
  name: string;
  description: string;
  type: Agent['type'];
  isActive: boolean;
  instructions: string;
  model: string;
  vision: boolean;
  transcriptionModel: string;
  currency: string;
  inputPrice: string;
  outputPrice: string;
  transcriptionPrice: string;
  url: string;
  scope: Agent['knowledge_scope'];
  knowledge: string[];
  tools: Agent['tools'];
  tables: string[];
  mcpServers: string[];
  handsOver: boolean;
  /** One word or phrase in each line. */
  keywords: string;
  maxTurns: string;
  handoffMessage: string;
  followUps: FollowUpForm[];
}

/** What a part of the form gets. */
export interface AgentPartProps {
  form: AgentForm;
  error: unknown;
  /** The user may read the agent, but not change it. */
  isLocked: boolean;
  onChange(part: Partial<AgentForm>): void;
}

/** The fields that show their errors themselves, by their paths in the request. */
export const FIELDS = [
  'name',
  'description',
  'model',
  'vision',
  'transcription_model',
  'prices',
  'instructions',
  'url',
  'knowledge',
  'tools',
  'tables',
  'mcp_servers',
  'handoff',
  'handoff_message',
  'follow_ups',
];

const USUAL_TURNS = 20;

/** Null is a new agent. */
export const toForm = (agent: Agent | null): AgentForm => ({
  name: agent?.name ?? '',
  description: agent?.description ?? '',
  type: agent?.type ?? 'AI',
  isActive: agent?.status !== 'INACTIVE',
  instructions: agent?.instructions ?? '',
  model: agent?.model ?? '',
  vision: agent?.vision ?? false,
  transcriptionModel: agent?.transcription_model ?? '',
  currency: agent?.prices?.currency ?? 'USD',
  inputPrice: writePrice(agent?.prices?.input),
  outputPrice: writePrice(agent?.prices?.output),
  transcriptionPrice: writePrice(agent?.prices?.transcription),
  url: agent?.url ?? '',
  scope: agent?.knowledge_scope ?? 'ALL',
  knowledge: agent?.knowledge ?? [],
  tools: agent?.tools ?? ['SEARCH_KNOWLEDGE'],
  tables: agent?.tables ?? [],
  mcpServers: agent?.mcp_servers ?? [],
  handsOver: agent?.handoff.enabled ?? true,
  keywords: agent?.handoff.keywords.join('\n') ?? '',
  maxTurns: String(agent?.handoff.max_turns ?? USUAL_TURNS),
  handoffMessage: agent?.handoff_message ?? '',
  followUps: (agent?.follow_ups ?? []).map(({ delay_minutes, content, template = null }) => ({
    delay: toDelay(delay_minutes),
    content,
    template,
  })),
});

const toRule = ({ delay, content, template }: FollowUpForm): FollowUpRule => ({
  delay_minutes: readMinutes(delay),
  content,
  template,
});

/** Returns the fields as the API takes them. What an agent of this type does not have is left as it is. */
export function toUpdate(form: AgentForm): AgentUpdate & { name: string } {
  const { name, description, type, isActive, instructions, model, url, scope, knowledge, tools, tables } = form;
  return {
    name,
    description: description.trim() || null,
    status: isActive ? 'ACTIVE' : 'INACTIVE',
    handoff: { enabled: form.handsOver, keywords: readLines(form.keywords), max_turns: toNumber(form.maxTurns) },
    handoff_message: form.handoffMessage.trim() || null,
    follow_ups: form.followUps.map(toRule),
    ...(type === 'EXTERNAL'
      ? { url: url.trim() || null }
      : {
          instructions: instructions.trim() || null,
          model: model.trim() || null,
          vision: form.vision,
          transcription_model: form.transcriptionModel.trim() || null,
          prices: readPrices(form),
          knowledge_scope: scope,
          knowledge: scope === 'LISTED' ? knowledge : [],
          tools,
          tables: tools.includes('READ_TABLES') ? tables : [],
          mcp_servers: form.mcpServers,
        }),
  };
}

const writePrice = (price: number | null | undefined): string => (typeof price === 'number' ? writeNumber(price) : '');

/** All prices empty are none. A price of tokens that is empty beside others is nothing; that of voice notes is not known then. */
function readPrices({ currency, inputPrice, outputPrice, transcriptionPrice }: AgentForm): AgentUpdate['prices'] {
  if ([inputPrice, outputPrice, transcriptionPrice].every((price) => price.trim() === '')) return null;
  return {
    currency: currency.trim().toUpperCase(),
    input: toNumber(inputPrice.trim() || '0'),
    output: toNumber(outputPrice.trim() || '0'),
    transcription: transcriptionPrice.trim() === '' ? null : toNumber(transcriptionPrice),
  };
}

const readLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
