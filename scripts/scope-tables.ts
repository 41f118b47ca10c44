/** Writes the tables of docs/scopes.md that say what scopes include, and what else requests need. */
import { describeNeed, listScopes, type ApiDocument } from '../src/platform/http/reference.ts';
import { IMPLIED } from '../src/platform/values/scopes.ts';
import { writeTable } from './built-files.ts';

const BREAK = '<br>';

export function writeScopeTables(document: ApiDocument): string[] {
  const included = IMPLIED.map(({ scopes, words }) => [listScopes(scopes), words]);
  const needed = groupNeeds(document).map(([needs, requests]) => [requests.join(BREAK), needs]);
  return [
    ...writeTable(['Scope', 'Includes'], included),
    '## Requests that need further scopes',
    '',
    ...writeTable(['Request', 'Also needs'], needed),
  ];
}

/** Lists the needs with the requests that have them; requests with the same needs are listed once. */
function groupNeeds({ paths }: ApiDocument): [needs: string, requests: string[]][] {
  const found = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { 'x-needs': needs = [] }]) =>
      needs.map((need) => ({ need: describeNeed(need), request: `\`${method.toUpperCase()} ${path}\`` })),
    ),
  );
  const byNeed = Object.entries(Object.groupBy(found, ({ need }) => need)).map(([need, each = []]) => ({
    need,
    requests: each.map(({ request }) => request),
  }));
  const byRequests = Object.values(Object.groupBy(byNeed, ({ requests }) => requests.join())).map((each = []) => each);
  return byRequests.map((each) => [each.map(({ need }) => need).join(BREAK), each[0]?.requests ?? []]);
}
