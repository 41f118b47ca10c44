import { test } from 'node:test';
import { proveRecipes } from '../full/proofs/recipes.ts';

test('the recipes of CONTRIBUTING.md for an endpoint, an event and a table change the files as they stand, and the result has no error of types', async (t) => {
  t.diagnostic(JSON.stringify(await proveRecipes({ everything: false })));
});
