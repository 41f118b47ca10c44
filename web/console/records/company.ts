/**
 * Records of which a company has few, and which most screens need: users, teams, inboxes, agents, pipelines, API keys, custom fields, quick
 * replies, saved views.
 */
import type {
  ApiKey,
  BusinessHours,
  Company,
  CustomField,
  Inbox,
  ListedAgent,
  Macro,
  Pipeline,
  QuickReply,
  Segment,
  Team,
  User,
  View,
} from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { openChannel } from '../../browser/tabs.ts';
import { findLanguage, type Language } from '../../browser/texts.ts';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { useMay, useSession } from '../session/session.ts';
import { useLanguage } from '../texts/language.ts';
import { findBrowserZone } from '../texts/zoned-time.ts';
import { LIVE, queries } from './queries.ts';

/** More than these are not shown in menus; their screens list them all. */
const MOST = 500;
const NONE: readonly never[] = [];

async function readAll<T>(list: () => AsyncIterable<T>): Promise<readonly T[]> {
  const result: T[] = [];
  for await (const item of list()) {
    result.push(item);
    if (result.length === MOST) break;
  }
  return result;
}

const useSmallQuery = <T>(name: string, list: () => AsyncIterable<T>): UseQueryResult<readonly T[]> =>
  useQuery({ queryKey: ['company', name], queryFn: () => readAll(list), staleTime: 60_000 });

const useSmallList = <T>(name: string, list: () => AsyncIterable<T>): readonly T[] =>
  useSmallQuery(name, list).data ?? NONE;

export const useUsers = (): readonly User[] => useSmallList('users', () => parley.users.list.all());
/** The teams by their names. */
export function useTeams(): readonly Team[] {
  const teams = useSmallList('teams', () => parley.teams.list.all());
  return useMemo(() => teams.toSorted((a, b) => a.name.localeCompare(b.name)), [teams]);
}
/** Reads the teams again when a conversation comes to one that is not known here. The stream does not bring teams. */
export function noteTeam(team: string | null): void {
  const teams = queries.getQueryData<readonly Team[]>(['company', 'teams']);
  if (team !== null && teams && !teams.some(({ _id }) => _id === team)) rereadCompany('teams');
}
/** The business hours by their names. */
export function useBusinessHours(): readonly BusinessHours[] {
  const hours = useSmallList('business-hours', () => parley.businessHours.list.all());
  return useMemo(() => hours.toSorted((a, b) => a.name.localeCompare(b.name)), [hours]);
}
export const useInboxes = (): readonly Inbox[] => useSmallList('inboxes', () => parley.inboxes.list.all());
export const useAgents = (): readonly ListedAgent[] => useSmallList('agents', () => parley.agents.list.all());
export const usePipelines = (): readonly Pipeline[] => useSmallList('pipelines', () => parley.pipelines.list.all());
export const useApiKeys = (): readonly ApiKey[] => useSmallList('api-keys', () => parley.apiKeys.list.all());
export const useQuickReplies = (): readonly QuickReply[] =>
  useSmallList('quick-replies', () => parley.quickReplies.list.all());

/** The macros that the user sees, by their names. */
export function useMacros(): readonly Macro[] {
  const macros = useSmallList('macros', () => parley.macros.list.all());
  return useMemo(() => macros.toSorted((a, b) => a.name.localeCompare(b.name)), [macros]);
}

/** The saved views that the user sees, in no particular order; the live stream keeps them up to date. */
export const useAllViews = (): UseQueryResult<readonly View[]> => useLiveList('views', () => parley.views.list.all());
export const useAllSegments = (): UseQueryResult<readonly Segment[]> =>
  useLiveList('segments', () => parley.segments.list.all());

const useLiveList = <T>(name: string, list: () => AsyncIterable<T>): UseQueryResult<readonly T[]> =>
  useQuery({
    queryKey: ['company', name],
    queryFn: async () => {
      await whenLive();
      return readAll(list);
    },
    ...LIVE,
  });

const RECORD = ['company', 'record'] as const;

interface Freshness {
  refetchInterval?: number;
  refetchOnMount?: 'always';
  refetchOnWindowFocus?: 'always';
}

function useRecordQuery(freshness: Freshness): UseQueryResult<Company> {
  const { company } = useSession();
  const may = useMay('companies:read');
  return useQuery({
    queryKey: RECORD,
    queryFn: () => parley.companies.get(company),
    enabled: may,
    staleTime: Number.POSITIVE_INFINITY,
    ...freshness,
  });
}

/** The company that the user works for; undefined while it is not known, or when the user may not read it. */
export const useCompany = (): Company | undefined => useRecordQuery({}).data;

/** The stream does not bring the company, so its screen reads it this often. */
const REREAD_MS = 30_000;

/** The company on its own screen, where changes of other people and what it stores are shown soon. */
export const useCompanyRecord = (): UseQueryResult<Company> =>
  useRecordQuery({ refetchInterval: REREAD_MS, refetchOnMount: 'always', refetchOnWindowFocus: 'always' });

/** Tells the other tabs of this browser that the company has changed. */
const changes = openChannel('parley-company');
changes?.addEventListener('message', () => void queries.invalidateQueries({ queryKey: RECORD }));

/** Shows the company after a change of it, in the other tabs as well. */
export async function showCompany(company: Company): Promise<void> {
  // A reading that began before the change would show the old values when it ends.
  await queries.cancelQueries({ queryKey: RECORD });
  queries.setQueryData(RECORD, company);
  // A BroadcastChannel reaches pages of the same origin only.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  changes?.postMessage('changed');
}

/** The name of the company; "" while it is not known. */
export const useCompanyName = (): string => useCompany()?.name ?? '';

/** The time zone of the company; the browser's while it is not known. */
export const useCompanyZone = (): string => useCompany()?.general_config.time_zone ?? findBrowserZone();

/** The language in which the company writes to its contacts; that of the console while it is not known. */
export function useCompanyLanguage(): Language {
  const shown = useLanguage();
  const company = useCompany();
  return company ? (findLanguage([company.general_config.language]) ?? 'en') : shown;
}

/** The company's own fields of one kind of record. */
export function useCustomFields(context: CustomField['context']): readonly CustomField[] {
  const fields = useAllCustomFields().data ?? NONE;
  return useMemo(() => fields.filter((field) => field.context === context), [fields, context]);
}

const useAllCustomFields = (): UseQueryResult<readonly CustomField[]> =>
  useSmallQuery('custom-fields', () => parley.customFields.list.all());

/** True while it is not known which fields of its own the company has. */
export const useAreCustomFieldsLoading = (): boolean => useAllCustomFields().isPending;

/** The inboxes whose new conversations an agent gets. */
export const useDefaultInboxes = (agent: string): readonly Inbox[] =>
  useInboxes().filter(({ default_agent, status }) => default_agent === agent && status === 'ACTIVE');

/** Shows a record as it is now in one of these lists; a new one comes first. A list that is being read is read again. */
export function replaceInCompany<T extends { _id: string }>(name: 'inboxes', record: T): void {
  const queryKey = ['company', name];
  const list = queries.getQueryData<readonly T[]>(queryKey);
  if (!list) return rereadCompany(name);
  const index = list.findIndex(({ _id }) => _id === record._id);
  queries.setQueryData<readonly T[]>(queryKey, index < 0 ? [record, ...list] : list.with(index, record));
}

/** Reads one of these lists again, after a change of it. */
export const rereadCompany = (
  name:
    | 'users'
    | 'teams'
    | 'inboxes'
    | 'business-hours'
    | 'agents'
    | 'pipelines'
    | 'custom-fields'
    | 'quick-replies'
    | 'macros',
): void => void queries.invalidateQueries({ queryKey: ['company', name] });

export function useUser(id: string | null): User | null {
  const users = useUsers();
  return users.find(({ _id }) => _id === id) ?? null;
}

/** The active users who see an inbox, to whom its conversations can be assigned. The list is empty until the inboxes have been read. */
export function useUsersOf(inbox: string): readonly User[] {
  const inboxes = useInboxes();
  const users = useUsersWhoSee(inboxes.find(({ _id }) => _id === inbox)?.members ?? null);
  return inboxes.length === 0 ? NONE : users;
}

/** The active users who see an inbox with these members. */
export function useUsersWhoSee(members: Inbox['members']): readonly User[] {
  const users = useUsers();
  const teams = useTeams();
  return useMemo(() => {
    const ofTeams = teams.filter(({ _id }) => members?.teams.includes(_id)).flatMap((team) => team.members);
    const seeing = new Set([...(members?.users ?? []), ...ofTeams]);
    return users.filter(
      ({ _id, role, status }) =>
        status === 'ACTIVE' && (!members || role === 'OWNER' || role === 'ADMIN' || seeing.has(_id)),
    );
  }, [users, teams, members]);
}

export const useUserName = (id: string | null): string | null => useUser(id)?.name ?? null;
