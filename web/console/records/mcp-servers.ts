/** The MCP servers of the company, of which it has three at most, and whether its agents may call them. */
import type { McpServer } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { queries } from './queries.ts';

const KEY = ['mcp-servers'];
export const MOST_MCP_SERVERS = 3;

export const useMcpServers = (): UseQueryResult<McpServer[]> =>
  useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await parley.mcpServers.list({ sort: 'createdAt' }, { signal })).result,
  });

/** Shows a server as it is now; a new one comes last. */
export const showMcpServer = (server: McpServer): void =>
  void queries.setQueryData<McpServer[]>(KEY, (list = []) => {
    const index = list.findIndex(({ _id }) => _id === server._id);
    return index < 0 ? [...list, server] : list.with(index, server);
  });

export const forgetMcpServer = (id: string): void =>
  void queries.setQueryData<McpServer[]>(KEY, (list = []) => list.filter(({ _id }) => _id !== id));
