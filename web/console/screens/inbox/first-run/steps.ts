/** The steps of the checklist that the user has permission for, and which of them are done. */
import { useQuery } from '@tanstack/react-query';
import { parley } from '../../../client.ts';
import { useMayCompose } from '../../../frame/composing.ts';
import { useCompany, useInboxes, useUsers } from '../../../records/company.ts';
import { useHasMessages } from '../../../records/messages.ts';
import { useMay } from '../../../session/session.ts';

type StepName = 'inbox' | 'team' | 'message' | 'answers' | 'program';

export interface Step {
  name: StepName;
  isDone: boolean;
  /** The screen where the step is done; null for a new conversation. */
  path: string | null;
}

/** Companies older than this get no checklist. */
const NEW_MS = 30 * 24 * 60 * 60_000;

export interface Checklist {
  /** Undefined while they are loading. A user without permission for any step has none, and so has a company that is not new. */
  steps: readonly Step[] | undefined;
  error: Error | null;
  reread(): void;
}

export function useChecklist(): Checklist {
  const company = useCompany();
  const mayRead = useMay('companies:read');
  const offered = useOffered();
  const { done, error, reread } = useDone(new Set(offered.map(({ name }) => name)));
  const isOld = company !== undefined && Date.now() - Date.parse(company.createdAt) > NEW_MS;
  if (!mayRead || isOld) return { steps: [], error: null, reread };
  const steps = company && done && offered.map((step) => ({ ...step, isDone: done.has(step.name) }));
  return { steps, error, reread };
}

function useOffered(): Pick<Step, 'name' | 'path'>[] {
  const maySetUp = [useMay('webhooks:create'), useMay('api-keys:create')].every(Boolean);
  const steps: [boolean, StepName, string | null][] = [
    [useMay('inboxes:create'), 'inbox', '/inboxes'],
    [useMay('users:create'), 'team', '/users'],
    [useMayCompose(), 'message', null],
    [useMay('messages:update'), 'answers', '/quick-replies'],
    [maySetUp, 'program', '/webhook'],
  ];
  return steps.flatMap(([may, name, path]) => (may ? [{ name, path }] : []));
}

/** Reads which steps are done, each time the checklist is shown. */
function useDone(offered: ReadonlySet<StepName>) {
  const isConnected = useInboxes().some(({ status }) => status === 'ACTIVE');
  const hasTeam = useUsers().length > 1;
  const message = useHasMessages(offered.has('message'));
  const records = useQuery({
    queryKey: ['first-run', [...offered]],
    queryFn: async ({ signal }) => {
      const [replies, webhook, keys] = await Promise.all([
        offered.has('answers') ? parley.quickReplies.list({ limit: 1, skipCount: true }, { signal }) : null,
        offered.has('program') ? parley.webhooks.get({ signal }) : null,
        offered.has('program') ? parley.apiKeys.list({ limit: 10, skipCount: true }, { signal }) : null,
      ]);
      // A new company already has a key that its operator created.
      const program = webhook !== null || keys?.result.some(({ created_by }) => created_by !== null) === true;
      return { answers: replies !== null && replies.result.length > 0, program };
    },
    refetchOnMount: 'always',
  });
  const isKnown = records.data !== undefined && (message.data !== undefined || !offered.has('message'));
  const all = {
    answers: false,
    program: false,
    ...records.data,
    message: message.data,
    inbox: isConnected,
    team: hasTeam,
  };
  return {
    done: isKnown ? new Set([...offered].filter((name) => all[name])) : undefined,
    error: records.error ?? message.error,
    reread: () => {
      for (const { error, refetch } of [records, message]) if (error) void refetch();
    },
  };
}
