/** The few files of src/ that may use the process, the network, SQL, rows of all companies and libraries that read what foreign servers say. */
import { posix } from 'node:path';
import { isTest } from './import-law.ts';
import type { SourceFacts, TextFact, Violation } from './source-facts.ts';

/** Files that may use `process` for something other than settings, which only main.ts reads. */
const PROCESS_USERS = [
  // Reads memory and CPU use of this process.
  /^src\/platform\/work\/telemetry\.ts$/,
  // Writes the rest of the log when this process ends.
  /^src\/platform\/work\/log-writer\.ts$/,
  // Reads platform, architecture and user, and sends signals to the database server that it starts.
  /^src\/platform\/store\/embedded-postgres(?:\.ts$|\/)/,
  // Starts child processes and also runs inside them, so it uses the channel between both.
  /^src\/platform\/work\/child(?:-work)?\.ts$/,
  // Starts the process that builds an app for browsers.
  /^src\/platform\/http\/web-builds\.ts$/,
  // Mutes Node's warning about stripping types from browser code.
  /^src\/platform\/http\/web-apps\.ts$/,
  // Handles signals, the sandbox's process and the exit code.
  /^src\/boot\//,
];

const OUTBOUND = 'src/platform/outside/outbound.ts';
const DIAL = 'src/platform/outside/dial.ts';
const HTTP_MODULES = ['http', 'https', 'http2', 'node:http', 'node:https', 'node:http2'];
/** Names that make an HTTP call; createServer, STATUS_CODES and types may be used anywhere. */
const HTTP_CLIENT_NAMES = ['request', 'get', 'connect', 'Agent', 'ClientRequest', 'globalAgent', '*'];
const SOCKET_MODULES = ['net', 'tls', 'node:net', 'node:tls'];
/** Names that open a connection; createServer, isIP and types may be used anywhere. */
const SOCKET_CLIENT_NAMES = ['connect', 'createConnection', '*'];
const NETWORK_GLOBALS = ['fetch', 'WebSocket', 'EventSource'];

/**
 * Files that may work on rows of all companies: callbacks and visitors whose company is not known yet, claims, and tokens and log-ins that
 * name no company.
 */
const SYSTEM_USERS = [
  /^src\/platform\//,
  /^src\/features\/(inbound|webhooks|api-keys|auth|audit|users|connected-apps|companies|single-sign-on|live|web-chat)\//,
  // Creates a company's first records in the transaction that creates the company.
  /^src\/features\/pipelines\/default-[^/]*\.ts$/,
  // The statements of each room that ingestion runs for many companies at once.
  /^src\/features\/(contacts|conversations|messages|notifications|inboxes|templates|campaigns)\/ingest[^/]*\.ts$/,
  // Chooses the next catalogue of any company, and stores what its network lists.
  /^src\/features\/templates\/copy(-queries)?\.ts$/,
  // Deletes callbacks of an erased person that were kept aside, whose company is often unknown.
  /^src\/features\/contacts\/erase(-queries)?\.ts$/,
  // Finds the owner of a number, checks every inbox daily, tells those who lose a number, and opens the inbox that a network calls by its id.
  /^src\/features\/inboxes\/(address|address-queries|called|connection|connection-changes)\.ts$/,
  // Chooses the next campaign of any company, adds up the counters of all of them, and counts them anew for an operator.
  /^src\/features\/campaigns\/(turn-queries|loop|recount|recount-queries)\.ts$/,
  // Chooses the next knowledge item of any company.
  /^src\/features\/knowledge\/(turn-queries|loop)\.ts$/,
  // Leaves turns with the messages of all companies, and chooses the next turn of any company.
  /^src\/features\/agents\/(turns|follow-ups)\/(ingest-queries|queue-queries|loop|upkeep)\.ts$/,
  // Chooses the next due message of any company.
  /^src\/features\/sends\/due\/(queue-queries|loop)\.ts$/,
  // Makes the partitions of the messages of all companies.
  /^src\/features\/messages\/jobs\.ts$/,
  // Looks for messages of all companies that are in no part of the search, and chooses the next company whose messages move.
  /^src\/features\/messages\/parts-upkeep(-queries)?\.ts$/,
  // Finds the teams of all companies that may have a conversation to give to a member.
  /^src\/features\/distribution\/(distribution|queries)\.ts$/,
  // Leaves what contacts of all companies write for their rules, chooses the next event of any company, and deletes old runs.
  /^src\/features\/rules\/(ingest-queries|queue-queries|loop|upkeep)\.ts$/,
  // Adds the facts of all companies to the counters of their reports.
  /^src\/features\/reports\/fold(-queries|ing)\.ts$/,
  // Finds companies whose conversations have other clocks, or have missed a target.
  /^src\/features\/slas\/(slas|queries)\.ts$/,
  // Deletes old notifications of all companies.
  /^src\/features\/notifications\/upkeep(-queries)?\.ts$/,
  // Reads the key pair of the installation, chooses the next push of any company, and finds users of all companies who are away.
  /^src\/features\/notifications\/(push\/(keys|queue-queries|loop)|mails\/(away|away-queries))\.ts$/,
  // Deletes old scheduled messages of all companies.
  /^src\/features\/scheduled-messages\/upkeep(-queries)?\.ts$/,
  // Stores what contacts of all companies answer to surveys.
  /^src\/features\/csat\/ingest-queries\.ts$/,
  // Leaves away texts with the messages of all companies, and deletes old ones.
  /^src\/features\/away-texts\/(ingest-queries|upkeep|upkeep-queries)\.ts$/,
  // Deletes old runs, and the days of all companies.
  /^src\/features\/bulk\/upkeep(-queries)?\.ts$/,
  // These files open the database and pass it on.
  /^src\/(boot\/|worker\.ts$)/,
];
const SYSTEM_NAMES = ['SystemTx', 'openDatabase', '*'];
/** The usual expressions that reach the rows of all companies without naming the type SystemTx. */
const SYSTEM_MEMBERS = ['database.system', 'database.systemTx', 'db.system', 'db.systemTx'];

export const QUERIES = /^src\/features\/.+\/(?:(?:[^/]+-)?queries|[^/]+-sql)\.ts$/;
const SQL_HOMES = [/^src\/platform\//, QUERIES];
/** SQL keywords are in one case throughout, so that a sentence such as "Update the inbox" does not match. */
const SQL_START =
  /^\s*(?:--[^\n]*\n\s*)*(?:(?:select|SELECT)\s|(?:insert into|INSERT INTO)\s|(?:update|UPDATE)\s+\S+(?:\s+\S+){0,2}\s+(?:set|SET)\s|(?:delete from|DELETE FROM)\s|(?:with|WITH)\s+(?:recursive\s+|RECURSIVE\s+)?\w+\s*(?:\([^)]*\)\s*)?(?:as|AS)\s)/;

/** Libraries that read what servers of companies say, and the files that use them. They run in child processes (src/mail-caller.ts) only. */
const FOREIGN_READERS = /^imapflow(?:\/|$)/;
const CHILD_FILES = /^src\/(?:mail-caller|channels\/email\/(?:mailbox|mailbox-answers|imap|idle))\.ts$/;

/** Functions that make a schema or a job, and the files of a room that may call them. */
const MAKERS = [
  { from: /^typebox$/, names: ['Type'], homes: ['schemas.ts', 'jobs.ts'] },
  { from: /\/platform\/values\/schema\.ts$/, names: ['define', 'strict'], homes: ['schemas.ts'] },
  { from: /\/platform\/store\/paging\.ts$/, names: ['pageSchema', 'pageQuery'], homes: ['schemas.ts'] },
  { from: /\/platform\/work\/jobs\.ts$/, names: ['defineJob'], homes: ['jobs.ts'] },
];

/** Lists where a file uses the process, the network, SQL or all companies' rows although it is not on the list of files that may. */
export function findDoorViolations(facts: SourceFacts): Violation[] {
  const { path } = facts;
  if (!path.startsWith('src/') || isTest(path)) return [];
  const make = (line: number, sentence: string): Violation => ({ path, line, sentence });
  return [
    ...findProcessUse(facts).map((line) => make(line, 'process is read in src/main.ts only; settings are handed down')),
    ...findNetworkUse(facts).map((line) => make(line, `outgoing calls go through ${OUTBOUND} only`)),
    ...findSocketUse(facts).map((line) => make(line, `connections are opened by ${DIAL} only`)),
    ...findSystemUse(facts).map((line) =>
      make(line, 'cross-company work (SystemTx) is for the rooms listed in scripts/doors.ts only'),
    ),
    ...findDatabaseUse(facts).map((line) => make(line, 'connections are opened by src/platform only')),
    ...findSql(facts).map((line) => make(line, "SQL stands in a room's queries.ts, src/platform or migrations only")),
    ...findForeignReading(facts).map((line) =>
      make(line, 'what a server of a company says is read in a child process only (src/mail-caller.ts)'),
    ),
    ...findMakerUse(facts).map(({ line, homes }) => make(line, `what a room makes of this stands in its ${homes}`)),
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
  const used = isListed ? environment : [...environment, ...imported, ...filterByName(identifiers, ['process'])];
  return listDistinctLines(used.map(({ line }) => line));
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
  return listDistinctLines([
    ...clients.map(({ line }) => line),
    ...filterByName(identifiers, NETWORK_GLOBALS).map(({ line }) => line),
    ...filterByName(members, ['globalThis.fetch']).map(({ line }) => line),
  ]);
}

function findSocketUse({ path, imports }: SourceFacts): number[] {
  if (path === DIAL) return [];
  return imports
    .filter(
      ({ specifier, names, typeOnly }) =>
        !typeOnly &&
        SOCKET_MODULES.includes(specifier ?? '') &&
        names.some((name) => SOCKET_CLIENT_NAMES.includes(name)),
    )
    .map(({ line }) => line);
}

function findForeignReading({ path, imports }: SourceFacts): number[] {
  if (CHILD_FILES.test(path)) return [];
  return imports
    .filter(({ specifier, typeOnly }) => {
      if (typeOnly || specifier === null) return false;
      return FOREIGN_READERS.test(specifier) || CHILD_FILES.test(posix.join(posix.dirname(path), specifier));
    })
    .map(({ line }) => line);
}

function findSystemUse({ path, imports, members }: SourceFacts): number[] {
  if (SYSTEM_USERS.some((allowed) => allowed.test(path))) return [];
  const imported = imports.filter(
    ({ specifier, names }) =>
      /\/platform\/store\/(tenant|open-database)\.ts$/.test(specifier ?? '') &&
      names.some((name) => SYSTEM_NAMES.includes(name)),
  );
  return listDistinctLines([...imported, ...filterByName(members, SYSTEM_MEMBERS)].map(({ line }) => line));
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

function findMakerUse({ path, imports }: SourceFacts): { line: number; homes: string }[] {
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

function filterByName(facts: TextFact[], names: string[]): TextFact[] {
  return facts.filter(({ text }) => names.includes(text));
}

function listDistinctLines(lines: number[]): number[] {
  return [...new Set(lines)];
}
