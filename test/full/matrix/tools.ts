/**
 * Calls every tool of the MCP server with an id of the other company at each place that takes one. The answer must be that to an unknown id.
 * The places are read from the schemas of the tools.
 */
import { ID_PATTERN } from '../../../src/doors/mcp/tool.ts';
import { TOOLS } from '../../../src/doors/mcp/server.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import type { Json } from '../../support/platform.ts';
import type { CompanyPair, Findings } from './asking.ts';
import { createFullCompany, digestTables, listChangedTables, type FullCompany } from './companies.ts';
import { makeSample, type Operation } from './document.ts';

/** The optional properties with which a tool looks at an id, where it needs some. The first set that has the property is used. */
const TOGETHER: Record<string, string[][]> = {
  update_conversation: [['conversation', 'tags']],
  prepare_message: [
    ['conversation', 'text', 'attachment'],
    ['inbox', 'contact', 'text'],
  ],
};

export async function checkTools({ platform, other }: CompanyPair, _: Operation[], account: Findings): Promise<void> {
  // Tools change records that the other promises need as they are.
  const own = await createFullCompany(platform);
  const settings = { key: platform.globalKey, body: { agent_builder_mcp_enabled: true } };
  await platform.call(200, 'PATCH', `/v1/companies/${own._id}`, settings);
  const sets = [...new Set(TOOLS.map(({ set }) => set))].join();
  const { client, listTools, callTool } = await connectMcp({
    url: platform.url,
    key: own.key,
    query: `?toolsets=${sets}`,
  });
  const before = await digestTables(platform, [other._id]);
  const listed = (await listTools()).map(({ name }) => name);
  for (const { name, input } of TOOLS.filter((tool) => listed.includes(tool.name)))
    for (const property of listIdProperties(input)) {
      const rest = fillIn(name, input, { property, own });
      const put = async (id: string): Promise<string> => {
        account.asked += 1;
        return JSON.stringify(await callTool(name, { ...rest, [property]: id })).replaceAll(id, '*');
      };
      await checkPlace(account, `${name}, ${property}`, { property, put, own, other });
    }
  await client.close();
  const changed = listChangedTables(before, await digestTables(platform, [other._id]));
  if (changed.length > 0) account.faults.push(`a tool changed ${changed.join()} of another company`);
}

interface Place {
  property: string;
  put(id: string): Promise<string>;
  own: FullCompany;
  other: FullCompany;
}

/** Finds out which kind of record the place names, and compares the other company's record of this kind with an unknown one. */
async function checkPlace(account: Findings, what: string, { property, put, own, other }: Place): Promise<void> {
  const unknown = await put(newId());
  if ((await put(newId())) !== unknown) account.faults.push(`${what}: unknown ids get different answers`);
  const kinds = [property, ...Object.keys(own.records).filter((kind) => kind !== property)];
  for (const kind of kinds.filter((each) => own.records[each] !== undefined)) {
    if ((await put(String(own.records[kind]))) === unknown) continue;
    const foreign = await put(String(other.records[kind]));
    if (foreign !== unknown) account.faults.push(`${what}: the ${kind} of another company answers ${foreign}`);
    return;
  }
  account.faults.push(`${what}: no record of the company is known there; an unknown one answers ${unknown}`);
}

const listIdProperties = ({ properties }: Json): string[] =>
  Object.entries<Json>(properties).flatMap(([name, schema]) =>
    [schema, ...(schema.anyOf ?? [])].some(({ pattern }: Json) => pattern === ID_PATTERN) ? [name] : [],
  );

/** Fills in what the tool needs besides the property: records of the company, and its word as text, so that searches find something. */
function fillIn(tool: string, input: Json, { property, own }: Pick<Place, 'property' | 'own'>): Json {
  const together = TOGETHER[tool]?.find((names) => names.includes(property)) ?? [];
  const names = [...(input.required ?? []), ...together].filter((name: string) => name !== property);
  return Object.fromEntries(
    names.map((name: string) => {
      const schema = input.properties[name];
      const text = schema.pattern === undefined ? own.marker : own.records[name];
      return [name, schema.type === 'string' ? text : makeSample(schema)];
    }),
  );
}
