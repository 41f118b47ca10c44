/** What a tool of the MCP server is, and what all of them share. */
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { Kit } from '../../kit.ts';
import type { Principal } from '../../platform/http/auth.ts';
import { strict } from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import type { Scope } from '../../platform/values/scopes.ts';
import type { CallOperation, InnerCall } from '../inner-calls.ts';
import type { JsonObject } from '../json.ts';

export const TOOLSETS = [
  'people',
  'conversations',
  'sending',
  'setup',
  'knowledge',
  'tables',
  'campaigns',
  'agents',
  'health',
  'research',
] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** READ changes nothing; WRITE adds or replaces what can be added or replaced again; CHANGE may overwrite; SEND reaches a contact. */
export type ToolKind = 'READ' | 'WRITE' | 'CHANGE' | 'SEND';

/** The caller of a tool. */
export interface ToolCaller {
  /** Calls an operation, and throws a ToolError for every answer but a success. */
  call: (...given: Parameters<CallOperation>) => Promise<JsonObject>;
  /** Returns whether the caller has the scope. */
  may(scope: Scope): boolean;
  /** Returns whether the user has granted tools of this kind and set to the app that calls. */
  mayUse(tool: Pick<McpTool, 'kind' | 'set'>): boolean;
  principal: Principal;
  companyId: string;
  kit: Kit;
}

export interface McpTool<I extends TObject = TObject> {
  name: string;
  set: Toolset;
  title: string;
  /** One sentence that says what it does, and one that says when not to use it. */
  description: string;
  kind: ToolKind;
  /** The scopes without which the tool is not offered. */
  scopes: Scope[];
  input: I;
  run(caller: ToolCaller, input: Static<I>): Promise<JsonObject>;
}

export const defineTool = <P extends Record<string, TSchema>>({
  input,
  ...tool
}: Omit<McpTool, 'input' | 'run'> & {
  input: P;
  run(caller: ToolCaller, input: Static<TObject<P>>): Promise<JsonObject>;
}): McpTool => ({ ...tool, input: strict(input) }) as unknown as McpTool;

/** A failure that the model is told, so that it can do something else. */
export class ToolError extends Error {
  override name = 'ToolError';
}

export function throwProblem({ code, detail, errors = [] }: JsonObject): never {
  const fields = (errors as JsonObject[]).map(({ path, code: why, message }) => `${path}: ${message} (${why})`);
  throw new ToolError([`${code}: ${detail}`, ...fields].join('\n'));
}

export const ID_PATTERN = '^[0-9a-f]{24}$';
export const Id = (description: string) => Type.String({ pattern: ID_PATTERN, description });
export const Text = (description: string, maxLength = 200) => Type.String({ minLength: 1, maxLength, description });
export const { Optional } = Type;
export const FilterValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** The parameters of every list. */
export const PAGE = {
  limit: Optional(Type.Integer({ minimum: 1, maximum: 50, description: '20 by default' })),
  cursor: Optional(Text('next_cursor of the page before')),
};

/** The longest list, so that it fits into the context of a model. */
export const MOST_CHARACTERS = declareLimit(25_000, {
  topic: 'MCP',
  what: 'List in an answer',
  unit: 'characters',
  beyond: 'fewer records, with `truncated`',
});
const USUAL = 20;

/** Reads one page of a list. If the page is too long for an answer, it reads half as many records. */
export async function readList(
  { call }: ToolCaller,
  path: string,
  { limit = USUAL, cursor }: { limit?: number; cursor?: string },
  { show, query = {} }: { show: (record: JsonObject) => unknown } & Pick<InnerCall, 'query'>,
): Promise<JsonObject> {
  for (let most = limit; ; most = Math.ceil(most / 2)) {
    const asked = { ...query, limit: most, after: cursor, skipCount: true };
    const { result, meta } = await call('GET', path, { query: asked });
    const items = (result as JsonObject[]).map(show);
    if (most > 1 && JSON.stringify(items).length > MOST_CHARACTERS) continue;
    const next_cursor = meta.nextCursor as string | null;
    return { items, next_cursor, ...(most < limit && { truncated: true }) };
  }
}
