/**
 * Makes the functions that the model of an agent may call, and runs its calls. A function can only name what the platform has listed for this
 * company, agent and contact. One that changes something plans the change, which happens together with the answer.
 */
import { Check } from 'typebox/value';
import type { ChatCall } from '../../../ai/chat.ts';
import type { AgentTool } from '../schemas.ts';
import type { AgentAction } from '../turns/schemas.ts';
import { readFieldsTool, writeFieldsTool } from './fields.ts';
import { followUpTool } from './follow-up.ts';
import { fileTool, searchTool } from './knowledge.ts';
import { stepTool } from './steps.ts';
import { tableTool } from './tables.ts';
import { Refusal, type Scene, type Tool } from './tool.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MAKERS: Record<AgentTool, (scene: Scene) => Tool | null | Promise<Tool | null>> = {
  SEARCH_KNOWLEDGE: searchTool,
  SEND_FILE: fileTool,
  READ_FIELDS: readFieldsTool,
  WRITE_FIELDS: writeFieldsTool,
  READ_TABLES: tableTool,
  MOVE_STEP: stepTool,
  SCHEDULE_FOLLOW_UP: followUpTool,
};

/** Makes the functions that the agent allows; those that could do nothing are left out. */
export async function makeTools(scene: Scene): Promise<Tool[]> {
  const tools = await Promise.all(scene.agent.tools.map(async (name) => MAKERS[name](scene)));
  return tools.filter((tool) => tool !== null);
}

export interface CallResult {
  action: AgentAction;
  /** What the model reads. */
  content: string;
}

const MOST_LOGGED = declareLimit(500, {
  topic: 'Agents',
  what: 'Log of answers: arguments of a function call',
  unit: 'characters',
  beyond: 'cut',
});

/** Runs a call of the model. A call that is refused changes nothing, and the model reads why. */
export async function runCall(tools: Tool[], { name, arguments: given }: ChatCall): Promise<CallResult> {
  const logged = { tool: name, arguments: toLoggedText(given) };
  try {
    const content = await findTool(tools, name, given).call(given as never);
    return { action: { ...logged, is_done: true, note: null }, content };
  } catch (error) {
    // Failure policy: the model may call the function again with other arguments; any other error ends the turn.
    if (!(error instanceof Refusal)) throw error;
    return { action: { ...logged, is_done: false, note: error.message }, content: `Refused: ${error.message}` };
  }
}

function findTool(tools: Tool[], name: string, given: unknown): Tool {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Refusal('There is no such function.');
  const fits = tool.fits ? tool.fits(given) : Check(tool.parameters, given);
  if (!fits) throw new Refusal('The arguments do not fit.');
  return tool;
}

/** The text is cut between characters, because the database takes no halves of them. */
const toLoggedText = (given: unknown): string => (JSON.stringify(given) ?? 'null').slice(0, MOST_LOGGED).toWellFormed();
