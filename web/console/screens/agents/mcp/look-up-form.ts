/** What is typed in the form of a look-up, and the record that it becomes. */
import type { McpServer, McpServerUpdate } from '@parley/sdk';

export interface LookUpForm {
  /** "" for no look-up. */
  tool: string;
  /** The arguments as typed; an empty one is not sent. */
  values: ReadonlyMap<string, string>;
}

interface Argument {
  name: string;
  description: string | undefined;
  type: unknown;
}

export const fillForm = ({ look_up }: McpServer): LookUpForm => ({
  tool: look_up?.tool ?? '',
  values: new Map(Object.entries(look_up?.arguments ?? {}).map(([name, value]) => [name, String(value)])),
});

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Lists the arguments that the tool describes in its schema. */
export function listArguments({ tools }: McpServer, tool: string): Argument[] {
  const { properties } = tools.find(({ name }) => name === tool)?.input_schema ?? {};
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, about]) => {
    const { type, description } = isObject(about) ? about : {};
    return { name, type, description: typeof description === 'string' ? description : undefined };
  });
}

export function toLookUp(server: McpServer, { tool, values }: LookUpForm): McpServerUpdate['look_up'] {
  if (tool === '') return null;
  const given = listArguments(server, tool).flatMap(({ name, type }) => {
    const text = values.get(name)?.trim() ?? '';
    return text === '' ? [] : [[name, toArgument(type, text)] as const];
  });
  return { tool, arguments: Object.fromEntries(given) };
}

/** What is typed becomes a number or a flag where the tool expects one. */
function toArgument(type: unknown, text: string): string | number | boolean {
  if ((type === 'number' || type === 'integer') && Number.isFinite(Number(text))) return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}
