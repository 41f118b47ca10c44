/** The command `npm run recount`: an operator proves the counters of campaigns by a count, and mends those that are wrong. */
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { recountCampaigns } from '../features/campaigns/recount.ts';
import { companyIsKnown } from '../features/companies/companies.ts';
import type { Database } from '../platform/store/tenant.ts';
import { explainStartError } from './explain.ts';
import { withOperatorsDatabase } from './operators-database.ts';

const USAGE = 'usage: npm run recount [-- --company ID] [--check]';

// A campaign of a million contacts takes some minutes on a small machine. No one waits for it.
const STATEMENT_MS = 3_600_000;

interface RecountCommand {
  /** The company whose campaigns are counted; null for all. */
  company: string | null;
  mends: boolean;
}

/** Runs the command and returns its output: a line for each campaign with wrong counters, and one with the sums. */
export async function runRecount(config: Config, given: string[]): Promise<string> {
  const command = parseCommand(given);
  try {
    return await withOperatorsDatabase(config, { statementMs: STATEMENT_MS }, (database) => recount(database, command));
  } catch (error) {
    throw new Error(explainStartError(error, config), { cause: error });
  }
}

function parseCommand(args: string[]): RecountCommand {
  try {
    const { values } = parseArgs({ args, options: { company: { type: 'string' }, check: { type: 'boolean' } } });
    return { company: values.company ?? null, mends: values.check !== true };
  } catch (error) {
    // Failure policy: for any fault of the arguments, the usage text helps most.
    throw new Error(USAGE, { cause: error });
  }
}

async function recount(database: Database, command: RecountCommand): Promise<string> {
  const system = database.system('upkeep');
  const { company, mends } = command;
  if (company !== null && !(await companyIsKnown(system, company))) throw new Error(`no company ${company}`);
  const lines: string[] = [];
  let campaigns = 0;
  for await (const recounted of recountCampaigns(system, command)) {
    campaigns += 1;
    if (recounted.differences.length > 0) lines.push(JSON.stringify(recounted));
  }
  const sums = { campaigns, wrong: lines.length, mended: mends ? lines.length : 0 };
  return [...lines, JSON.stringify(sums)].map((line) => `${line}\n`).join('');
}
