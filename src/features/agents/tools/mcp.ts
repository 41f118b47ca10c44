/**
 * The tools of MCP servers as functions of a model. The model gets the descriptions and schemas that a person has approved, not those that
 * the server has now. What a server returns is data, cut to a limit.
 */
import type { TSchema } from 'typebox';
import { EndpointError } from '../../../ai/endpoint.ts';
import type { McpConnection } from '../../../ai/mcp.ts';
import { dropEchoes } from '../answers/links.ts';
import { cutResult, lookAtServer } from '../mcp/look.ts';
import { listServersOfAgent, type McpServerRow } from '../mcp/queries.ts';
import type { McpTool } from '../mcp/schemas.ts';
import { Refusal, type Scene, type Tool } from './tool.ts';

const MOST_NAME = 64;
const MOST_PREFIX = 20;

export interface OpenServers {
  tools: Tool[];
  close(): Promise<void>;
}

/**
 * Connects to the servers of the agent, and makes functions of the tools that are still as they were approved. `names` are those of the other
 * functions.
 */
export async function openServers(
  scene: Scene,
  { names, signal }: { names: string[]; signal: AbortSignal },
): Promise<OpenServers> {
  const { kit, acting, agent } = scene;
  if (agent.mcp_servers.length === 0) return { tools: [], close: async () => undefined };
  const servers = (await listServersOfAgent(acting.read, agent._id)).filter(({ tools }) => tools.length > 0);
  const looks = await Promise.all(
    servers.map(async (server) => ({ server, ...(await lookAtServer(kit, acting, server, signal)) })),
  );
  const open = looks.filter((look) => look.error === null);
  const taken = new Set(names);
  const tools = open.flatMap(({ server, connection, approved }) =>
    approved.map((tool) => makeTool(scene, { name: makeName(server, tool, taken), connection, tool })),
  );
  return { tools, close: async () => void (await Promise.all(open.map(({ connection }) => connection.close()))) };
}

/** A name for the model that says whose tool it is; two servers may have tools of one name. */
function makeName({ name: server }: McpServerRow, { name }: McpTool, taken: Set<string>): string {
  const words = server
    .normalize('NFD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['server'];
  const wanted = `${words.join('_').slice(0, MOST_PREFIX)}_${name}`.slice(0, MOST_NAME);
  let free = wanted;
  for (let count = 2; taken.has(free); count += 1) free = `${wanted.slice(0, MOST_NAME - 3)}_${count}`;
  taken.add(free);
  return free;
}

const makeTool = (
  { read }: Scene,
  { name, connection, tool }: { name: string; connection: McpConnection; tool: McpTool },
): Tool => ({
  name,
  description: tool.description,
  parameters: tool.input_schema as TSchema,
  // The server checks its arguments itself. A pattern of its schema could take for ever here.
  fits: (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
  call: async (given: Record<string, unknown>) => {
    const result = await connection.callTool(tool.name, given).catch((error: unknown) => {
      // Failure policy: the model reads that the tool has failed, and may answer without it.
      if (error instanceof EndpointError) throw new Refusal(error.message);
      throw error;
    });
    const { text } = cutResult(result.text);
    if (result.isError) throw new Refusal(`The tool has failed: ${text}`);
    read.texts.push(dropEchoes(text, JSON.stringify(given)));
    return JSON.stringify(text);
  },
});
