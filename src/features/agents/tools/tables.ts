/** A function that reads rows of tables. */
import { isContention } from '../../../platform/store/db.ts';
import { findRowsForContact } from '../../tables/rows/for-contact.ts';
import { listTablesByIds } from '../../tables/tables.ts';
import { TableArguments } from './schemas.ts';
import { Refusal, type Scene, type Tool } from './tool.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MOST_COLUMNS = declareLimit(30, {
  topic: 'Agents',
  what: 'Table: columns that the agent knows',
  beyond: 'the others are left out',
});
const ROWS = declareLimit(10, {
  topic: 'Agents',
  what: 'Table: rows per look-up',
  beyond: 'the others are left out',
});
const MOST_TEXT = declareLimit(8_000, {
  topic: 'Agents',
  what: 'Table: result of a look-up',
  unit: 'characters',
  beyond: 'cut',
});

/**
 * Returns null when the agent may read no table. Rows of other contacts are never read, because whoever writes to the agent may have talked
 * its model into passing on what it reads.
 */
export async function tableTool({ acting, agent, conversation, read }: Scene): Promise<Tool | null> {
  const tables = await listTablesByIds(acting.read, agent.tables);
  if (tables.length === 0) return null;
  const lines = tables.map(({ slug, name, columns }) => {
    const titles = columns.slice(0, MOST_COLUMNS).map(({ title }) => title);
    return `${slug} (${name}: ${titles.join(', ')})`;
  });
  return {
    name: 'read_table',
    description: `Looks for rows in a table of the company. Tables: ${lines.join('; ')}`,
    parameters: TableArguments,
    call: async ({ table: slug, search }: TableArguments) => {
      const table = tables.find((each) => each.slug === slug);
      if (!table) throw new Refusal('There is no such table.');
      const asked = { contact: conversation?.contact ?? null, search, limit: ROWS };
      const rows = await findRowsForContact(acting.read, table._id, asked).catch((error: unknown) => {
        if (isContention(error)) throw new Refusal('The search takes too long. Use rarer words.');
        throw error;
      });
      const text = JSON.stringify(rows).slice(0, MOST_TEXT);
      read.texts.push(text);
      return text;
    },
  };
}
