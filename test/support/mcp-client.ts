/** Connects to the MCP server of the platform, as the protocol's own client does. */
import { Client, StreamableHTTPClientTransport, type CallToolResult, type Tool } from '@modelcontextprotocol/client';

export interface ConnectedMcp {
  client: Client;
  listTools(): Promise<Tool[]>;
  callTool(name: string, input?: object): Promise<CallToolResult>;
}

export interface McpConnection {
  url: string;
  key: string;
  /** The query of the address, such as `?toolsets=people`. */
  query?: string;
  mode?: 'auto' | 'legacy';
}

export async function connectMcp({ url, key, query = '', mode = 'auto' }: McpConnection): Promise<ConnectedMcp> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit }));
  return {
    client,
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, input = {}) =>
      (await client.callTool({ name, arguments: input as Record<string, unknown> })) as CallToolResult,
  };
}
