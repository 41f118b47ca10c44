/** Agents: the list of them, one with its instructions, and what they did in a conversation. */
import type {
  Agent,
  AgentsListQuery,
  AgentTrial,
  AgentTry,
  AgentTurn,
  Conversation,
  ListedAgent,
  Message,
} from '@parley/sdk';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { rereadCompany } from './company.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = ['agents'] as const;
const keyOf = (id: string): readonly string[] => ['agent', id];
const PAGE = 50;

/** A model may take half a minute, and the platform says then that it took too long. */
const TRY_MS = 45_000;

/** What a list of agents shows; without any of these it shows all of them. */
export type AgentChoice = Pick<AgentsListQuery, 'search' | 'status' | 'type'>;

export const useAgentList = (choice: AgentChoice): FeedView<ListedAgent> =>
  useFeed<ListedAgent>(
    [...FEEDS, choice],
    (after, signal) => parley.agents.list({ ...choice, limit: PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );

export const useAgent = (id: string): UseQueryResult<Agent> =>
  useQuery({ queryKey: keyOf(id), queryFn: ({ signal }) => parley.agents.get(id, { signal }) });

/** Asks an agent once; a model that fails is not asked again by itself. */
export const tryAgent = (id: string, asked: AgentTry): Promise<AgentTrial> =>
  parley.agents.try(id, asked, { timeoutMs: TRY_MS, repeatForMs: 0 });

/** Shows a new agent or a change of one. */
export function showAgent(agent: Agent): void {
  queries.setQueryData(keyOf(agent._id), agent);
  changeFeeds<ListedAgent>(FEEDS, (feed, [, choice]) =>
    // Only the platform can tell what a filter finds.
    Object.keys(choice as AgentChoice).length === 0
      ? placeInFeed(feed, agent, ({ createdAt }) => createdAt)
      : replaceInFeed(feed, agent),
  );
  rereadCompany('agents');
}

export function forgetAgent(id: string): void {
  queries.removeQueries({ queryKey: keyOf(id) });
  changeFeeds<ListedAgent>(FEEDS, (feed) => removeFromFeed(feed, id));
  rereadCompany('agents');
}

const TURNS = 100;

/** Reads the turn that has led to an answer; null when it is not kept any more. */
export const useAnswerTurn = ({ _id, conversation }: Message): UseQueryResult<AgentTurn | null> =>
  useQuery({
    queryKey: ['answer-turn', _id],
    queryFn: async ({ signal }) => {
      for await (const turn of parley.agents.turns.all({ conversation, limit: TURNS, skipCount: true }, { signal }))
        if (turn.message === _id) return turn;
      return null;
    },
  });

/** Reads the last turn in a conversation; null without one. It is read again when the conversation has changed, as a hand-over does. */
export const useLastTurn = ({ _id, updatedAt }: Conversation): UseQueryResult<AgentTurn | null> =>
  useQuery({
    queryKey: ['last-turn', _id, updatedAt],
    queryFn: async ({ signal }) => {
      const { result } = await parley.agents.turns({ conversation: _id, limit: 1, skipCount: true }, { signal });
      return result[0] ?? null;
    },
    placeholderData: keepPreviousData,
  });
