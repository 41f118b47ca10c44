/**
 * Builds openapi.json and the tables of scopes in docs/scopes.md from the declarations: `node scripts/openapi.ts` writes them; with
 * --check it shows the first difference, so that a changed contract appears in the commit that changes it.
 */
import { readFileSync } from 'node:fs';
import { buildOpenApi } from '../src/api.ts';
import { writeOrCheck } from './built-files.ts';
import { replaceScopeTables } from './scope-tables.ts';

const PAGE = 'docs/scopes.md';

const document = await buildOpenApi();
writeOrCheck(
  [
    ['openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    [PAGE, replaceScopeTables(readFileSync(PAGE, 'utf8'), document)],
  ],
  'npm run openapi',
);
