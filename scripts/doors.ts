/** The doors of src/: what may touch the process, the network, SQL and other companies' rows, and only there. */
import { isTest } from './import-law.ts';
import type { SourceFacts, TextFact, Violation } from './source-facts.ts';

/** Settings come from main.ts alone; these files ask the process for something that is not a setting. */
const PROCESS_USERS = [
  // Memory and CPU of this process.
  /^src\/platform\/telemetry\.ts$/,
  // The end of this process, which writes what the log still holds.
  /^src\/platform\/log-writer\.ts$/,
  // Platform, architecture and user, and signals to the server that it starts.
  /^src\/platform\/embedded-postgres(?:\.ts$|\/)/,
  // Starts children, and is one: the channel between them, its end, the program that both run.
  /^src\/platform\/child(?:-work)?\.ts$/,
  // Mutes Node's warning about stripping types for browsers.
  /^src\/platform\/pages\.ts$/,
  // Signals, the sandbox's process and the exit code.
  /^src\/boot\//,
];

const OUTBOUND = 'src/platform/outbound.ts';
const HTTP_MODULES = ['http', 'https', 'http2', 'node:http', 'node:https', 'node:http2'];
/** What makes a call; createServer, STATUS_CODES and types are free. */
const HTTP_CLIENT_NAMES = ['request', 'get', 'connect', 'Agent', 'ClientRequest', 'globalAgent', '*'];
const NETWORK_GLOBALS = ['fetch', 'WebSocket', 'EventSource'];

/** Who does cross-company work: callbacks before their company is known, claims, tokens and log-ins that name none. */
const SYSTEM_USERS = [
  /^src\/platform\//,
  /^src\/features\/(inbound|webhooks|api-keys|auth|audit|users|companies)\//,
  // Whose import is worked on next, and imports that nobody works on any more, whoever's they are.
  /^src\/features\/imports\/(queries|give-up|turn-queries|turns)\.ts$/,
  // What a company has from its first day, in the transaction that makes it.
  /^src\/features\/pipelines\/default-[^/]*\.ts$/,
  // The set-based writes that inbound calls, one per room.
  /^src\/features\/(contacts|conversations|messages|inboxes)\/ingest[^/]*\.ts$/,
  // What was kept aside of an erased person: often nobody could tell its company.
  /^src\/features\/contacts\/erase(-queries)?\.ts$/,
  // Whose number it is, and the daily look at every inbox.
  /^src\/features\/inboxes\/(address|address-queries|connection)\.ts$/,
  // These open the database and hand it down.
  /^src\/(boot\/|worker\.ts$)/,
];
const SYSTEM_NAMES = ['SystemTx', 'openDatabase', '*'];
/** The usual spellings of reaching it through the whole Database, whose type names no SystemTx. */
const SYSTEM_MEMBERS = ['database.system', 'database.systemTx', 'db.system', 'db.systemTx'];

export const QUERIES = /^src\/features\/.+\/(?:[^/]+-)?queries\.ts$/;
const SQL_HOMES = [/^src\/platform\//, QUERIES];
/** Capital or small throughout, as SQL is written and a sentence is not: "Update the inbox" is prose. */
const SQL_START =
  /^\s*(?:--[^\n]*\n\s*)*(?:(?:select|SELECT)\s|(?:insert into|INSERT INTO)\s|(?:update|UPDATE)\s+\S+(?:\s+\S+){0,2}\s+(?:set|SET)\s|(?:delete from|DELETE FROM)\s|(?:with|WITH)\s+(?:recursive\s+|RECURSIVE\s+)?\w+\s*(?:\([^)]*\)\s*)?(?:as|AS)\s)/;

/** What makes a schema or a job, and the files of a room where it may. */
const MAKERS = [
  { from: /^typebox$/, names: ['Type'], homes: ['schemas.ts', 'jobs.ts'] },
  { from: /\/platform\/schema\.ts$/, names: ['define', 'strict'], homes: ['schemas.ts'] },
  { from: /\/platform\/paging\.ts$/, names: ['pageSchema', 'pageQuery'], homes: ['schemas.ts'] },
  { from: /\/platform\/jobs\.ts$/, names: ['defineJob'], homes: ['jobs.ts'] },
];

/** All doors that one file opens beside its right. */
export function findDoorViolations(facts: SourceFacts): Violation[] {
  const { path } = facts;
  if (!path.startsWith('src/') || isTest(path)) return [];
  const make = (line: number, sentence: string): Violation => ({ path, line, sentence });
  return [
    ...findProcessUse(facts).map((line) => make(line, 'process is read in src/main.ts only; settings are handed down')),
    ...findNetworkUse(facts).map((line) => make(line, `outgoing calls go through ${OUTBOUND} only`)),
    ...findSystemUse(facts).map((line) =>
      make(line, 'cross-company work (SystemTx) is for the rooms listed in scripts/doors.ts only'),
    ),
    ...findDatabaseUse(facts).map((line) => make(line, 'connections are opened by src/platform only')),
    ...findSql(facts).map((line) => make(line, "SQL stands in a room's queries.ts, src/platform or migrations only")),
    ...findMaking(facts).map(({ line, homes }) => make(line, `what a room makes of this stands in its ${homes}`)),
  ];
}

function findProcessUse({ path, imports, identifiers, members }: SourceFacts): number[] {
  if (path === 'src/main.ts') return [];
  const imported = imports.filter(({ specifier }) => /^(?:node:)?process$/.test(specifier ?? ''));
  const environment = [
    ...imported.filter(({ names }) => names.includes('env')),
    ...members.filter(({ text }) => text === 'process.env' || text === 'globalThis.process'),
  ];
  const isListed = PROCESS_USERS.some((listed) => listed.test(path));
  const used = isListed ? environment : [...environment, ...imported, ...named(identifiers, ['process'])];
  return distinct(used.map(({ line }) => line));
}

function findNetworkUse({ path, imports, identifiers, members }: SourceFacts): number[] {
  if (path === OUTBOUND) return [];
  const clients = imports.filter(
    ({ specifier, names, typeOnly }) =>
      !typeOnly &&
      specifier !== null &&
      (/^undici(?:\/|$)/.test(specifier) ||
        (HTTP_MODULES.includes(specifier) && names.some((name) => HTTP_CLIENT_NAMES.includes(name)))),
  );
  return distinct([
    ...clients.map(({ line }) => line),
    ...named(identifiers, NETWORK_GLOBALS).map(({ line }) => line),
    ...named(members, ['globalThis.fetch']).map(({ line }) => line),
  ]);
}

function findSystemUse({ path, imports, members }: SourceFacts): number[] {
  if (SYSTEM_USERS.some((allowed) => allowed.test(path))) return [];
  const imported = imports.filter(
    ({ specifier, names }) =>
      specifier?.endsWith('/platform/tenant.ts') && names.some((name) => SYSTEM_NAMES.includes(name)),
  );
  return distinct([...imported, ...named(members, SYSTEM_MEMBERS)].map(({ line }) => line));
}

function findDatabaseUse({ path, imports }: SourceFacts): number[] {
  if (path.startsWith('src/platform/')) return [];
  return imports
    .filter(({ specifier, typeOnly }) => !typeOnly && /^(?:pg|pg-boss)(?:\/|$)/.test(specifier ?? ''))
    .map(({ line }) => line);
}

function findSql({ path, strings }: SourceFacts): number[] {
  if (SQL_HOMES.some((home) => home.test(path))) return [];
  return strings.filter(({ text }) => SQL_START.test(text)).map(({ line }) => line);
}

function findMaking({ path, imports }: SourceFacts): { line: number; homes: string }[] {
  if (!path.startsWith('src/features/')) return [];
  return imports.flatMap(({ line, specifier, names, typeOnly }) =>
    MAKERS.filter(
      (maker) =>
        !typeOnly &&
        maker.from.test(specifier ?? '') &&
        names.some((name) => maker.names.includes(name)) &&
        !maker.homes.some((home) => path.endsWith(`/${home}`)),
    ).map(({ homes }) => ({ line, homes: homes.join(' or ') })),
  );
}

function named(facts: TextFact[], names: string[]): TextFact[] {
  return facts.filter(({ text }) => names.includes(text));
}

function distinct(lines: number[]): number[] {
  return [...new Set(lines)];
}
