/** What a model writes for users, and what the company lets them ask of it. */
import type { AssistSettings, Draft, Rewrite, RewriteAsked, Summary, Translation } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { useMay } from '../session/session.ts';
import { getLanguage } from '../texts/language.ts';
import { queries } from './queries.ts';

export type Act = AssistSettings['acts'][number];

const KEY = ['assist'];
const NONE: readonly Act[] = [];
const SCOPES = {
  DRAFT: 'knowledge:read',
  REWRITE: 'messages:create',
  SUMMARIZE: 'messages:read',
  TRANSLATE: 'messages:read',
} as const;

export function useAssistSettings(): UseQueryResult<AssistSettings> {
  const may = useMay('agents:read');
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => parley.agents.getAssist({ signal }),
    staleTime: 60_000,
    enabled: may,
  });
}

export const showAssistSettings = (settings: AssistSettings): void => void queries.setQueryData(KEY, settings);

/** What the user can ask of the model; nothing while it is off. */
export function useActs(): readonly Act[] {
  const { data } = useAssistSettings();
  const may = {
    DRAFT: useMay(SCOPES.DRAFT),
    REWRITE: true,
    SUMMARIZE: useMay(SCOPES.SUMMARIZE),
    TRANSLATE: useMay(SCOPES.TRANSLATE),
  };
  const mayReply = useMay('messages:create');
  return mayReply && data?.is_available ? data.acts.filter((act) => may[act]) : NONE;
}

/** A model may take half a minute, and the platform says then that it took too long. It is not asked again by itself. */
const asking = (signal: AbortSignal) => ({ timeoutMs: 45_000, repeatForMs: 0, signal });

export const draftReply = (conversation: string, signal: AbortSignal): Promise<Draft> =>
  parley.conversations.draft(conversation, asking(signal));

export const rewrite = (conversation: string, asked: RewriteAsked, signal: AbortSignal): Promise<Rewrite> =>
  parley.conversations.rewrite(conversation, asked, asking(signal));

export const summarize = (conversation: string, signal: AbortSignal): Promise<Summary> =>
  parley.conversations.summarize(conversation, { language: getLanguage() }, asking(signal));

export const translateMessage = (message: string, signal: AbortSignal): Promise<Translation> =>
  parley.messages.translate(message, { language: getLanguage() }, asking(signal));
