/** Compares the documents with the code in both directions: `node scripts/check-docs.ts`, in the root of the repository. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import {
  checkChangelog,
  checkFirstPage,
  checkPageSize,
  checkPromises,
  compareErrors,
  compareEvents,
  compareGuarantees,
  compareScopes,
  compareSettings,
  findBrokenLinks,
  findUnknownSettings,
} from './docs-law.ts';
import { isTest } from './import-law.ts';
import { readSources } from './source-facts.ts';

const { ERRORS } = await import('../src/platform/values/errors.ts');
const { EVENT_NAMES } = await import('../src/platform/store/events.ts');
const { SETTINGS: PLATFORM_SETTINGS } = await import('../src/config.ts');
const { CHANNEL_VARIABLES } = await import('../src/channels/registry.ts');
const { listProofNames } = await import('../test/full/list-proofs.ts');
const { ACTIONS, covers, GRANTABLE, ROLE_SCOPES, USER_ROLES } = await import('../src/platform/values/scopes.ts');

const { listAnchors } = await import('../src/platform/http/guides/markdown.ts');
const { readGuides } = await import('../src/platform/http/guides/shelf.ts');

const SETTINGS = [...Object.keys(PLATFORM_SETTINGS), ...Object.keys(CHANNEL_VARIABLES)];
const testFiles = new Set(
  readSources('.', ['src', 'sandbox', 'scripts', 'test'])
    .map(({ path }) => path)
    .filter(isTest),
);
const readText = (path: string) => readFileSync(path, 'utf8');
const readPages = (pattern: string) => new Map(globSync(pattern).map((path) => [path, readText(path)]));
const anchors = listAnchors(readGuides());

const FOR_OPERATORS = [
  'docs/deploying.md',
  'deploy/Containerfile',
  'deploy/compose.yaml',
  'deploy/compose.postgres.yaml',
  'deploy/parley.service',
];
const names = {
  settings: SETTINGS,
  // Names of PostgreSQL's own image, of passwords that the compose file asks for, of address families, and those of examples.
  others:
    'POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_INITDB_ARGS RUNTIME_PASSWORD DATABASE_PASSWORD DATABASE_OWNER_PASSWORD AF_UNIX AF_INET AF_INET6 AF_NETLINK OWNER_URL NAME'.split(
      ' ',
    ),
};

const sentences = [
  ...compareErrors(readText('docs/errors.md'), ERRORS),
  ...compareEvents(readText('docs/events.md'), EVENT_NAMES),
  ...compareGuarantees(readPages('docs/guarantees/*.md'), testFiles, listProofNames()),
  ...checkPromises(readText('docs/guarantees.md')),
  ...compareSettings(readText('.env.example'), SETTINGS),
  ...FOR_OPERATORS.flatMap((path) => findUnknownSettings(path, readText(path), names)),
  ...compareScopes(readText('docs/scopes.md'), USER_ROLES, listRights()),
  ...checkChangelog(readText('CHANGELOG.md')),
  ...checkFirstPage(readText('README.md')),
  ...[...readPages('docs/**/*.md')].flatMap(([path, text]) => checkPageSize(path, text)),
  ...[...readPages('*.md'), ...readPages('docs/**/*.md')].flatMap(([path, text]) =>
    findBrokenLinks(path, text, existsSync, anchors),
  ),
];
for (const sentence of sentences) console.error(sentence);
console.log(
  `docs: ${Object.keys(ERRORS).length} errors, ${EVENT_NAMES.length} events, ${SETTINGS.length} settings, ` +
    `${testFiles.size} test files compared`,
);
if (sentences.length > 0) process.exitCode = 1;

/** Lists what each role may do with each resource of the API. */
function listRights(): Map<string, string[]> {
  const resources = GRANTABLE.filter((scope) => scope.endsWith(':*')).map((scope) => scope.slice(0, -2));
  const describe = (role: (typeof USER_ROLES)[number], resource: string) => {
    const may = ACTIONS.filter((action) => covers(ROLE_SCOPES[role], `${resource}:${action}`));
    return may.map((action) => action.charAt(0)).join('') || '–';
  };
  return new Map(resources.map((resource) => [resource, USER_ROLES.map((role) => describe(role, resource))]));
}
