/**
 * Builds openapi.json and the tables in docs/scopes.md and docs/messages.md from the declarations: `node scripts/openapi.ts` writes them; with
 * --check it shows the first difference, so that a changed contract appears in the commit that changes it.
 */
import { buildOpenApi } from '../src/api.ts';
import { replaceSection, writeOrCheck } from './built-files.ts';
import { writeRuleTable } from './rule-table.ts';
import { writeScopeTables } from './scope-tables.ts';

const SCOPES = 'docs/scopes.md';
const RULES = 'docs/messages.md';

const document = await buildOpenApi();
writeOrCheck(
  [
    ['openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    [SCOPES, replaceSection(SCOPES, writeScopeTables(document))],
    [RULES, replaceSection(RULES, writeRuleTable())],
  ],
  'npm run openapi',
);
