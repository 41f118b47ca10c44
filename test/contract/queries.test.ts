/**
 * Prepares and plans every statement of the rooms against the migrated schema, under the role that will run it: a mistyped column, a
 * missing grant or a missing company condition fails here and not for a user.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import pg from 'pg';
import type { Executor, Statement } from '../../src/platform/store/db.ts';
import { NAMES } from '../../src/features/audit/names.ts';
import { PUSH_QUEUE } from '../../src/features/notifications/push/queue-queries.ts';
import { MOVED_TABLES } from '../../src/features/merges/conversations/queries.ts';
import { AWAY_QUEUE } from '../../src/features/away-texts/source.ts';
import { CSAT_QUEUE } from '../../src/features/csat/source.ts';
import { SCHEDULED_QUEUE } from '../../src/features/scheduled-messages/source.ts';
import { FOLLOW_UP_QUEUE } from '../../src/features/agents/follow-ups/source.ts';
import { LINKS } from '../../src/features/agents/link-queries.ts';
import { TURN_QUEUE } from '../../src/features/agents/turns/queue-queries.ts';
import { CAMPAIGN_QUEUE } from '../../src/features/campaigns/turn-queries.ts';
import { CONTACT_RUNS } from '../../src/features/contacts/bulk/runs.ts';
import { CONVERSATION_RUNS } from '../../src/features/conversations/bulk/runs.ts';
import { IMPORTS } from '../../src/features/imports/imports.ts';
import { KNOWLEDGE_QUEUE } from '../../src/features/knowledge/turn-queries.ts';
import { RULE_EVENTS } from '../../src/features/rules/queue-queries.ts';
import { COPY_QUEUE } from '../../src/features/templates/copy-queries.ts';
import { openLeases, recordTurns } from '../../src/platform/work/claims/leases.ts';
import { runQueue } from '../../src/platform/work/runs/queries.ts';
import { toBroadSearch, COLUMNS } from '../../src/features/contacts/list/filter-queries.ts';
import { OPERATORS } from '../../src/platform/store/filters/items.ts';
import { FIELD_TYPES } from '../../src/features/custom-fields/schemas.ts';
import { REPLAYS } from '../../src/features/webhooks/replays/replays.ts';
import { DELIVERY_STATUSES } from '../../src/features/webhooks/schemas.ts';
import { ROLES } from '../../src/platform/store/roles.ts';
import { recordAudit, type AuditEntry } from '../../src/platform/http/audit.ts';
import { emit } from '../../src/platform/store/events.ts';
import { bindKeyToRecord, purgeAttempts, runOnce } from '../../src/platform/http/idempotency.ts';
import { purgeBuckets } from '../../src/platform/http/limits.ts';
import type { Window } from '../../src/platform/store/paging.ts';
import { IN_STRETCH, purgeByPages } from '../../src/platform/store/retention.ts';
import { findNames } from '../../src/platform/store/names.ts';
import { lockLimit } from '../../src/platform/store/limit-lock.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../src/platform/store/tenant.ts';
import type { FactsSql } from '../../src/features/admission/recipient-sql.ts';
import { connectAs, openTestDatabase } from '../support/database.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync('src/{features,platform/work/runs}/**/{queries,*-queries}.ts', { cwd: ROOT }).toSorted();

type Role = (typeof ROLES)[keyof typeof ROLES];

/** The roles that run a statement, by the type of its function's first parameter. */
const RUNNERS: Record<string, Role[]> = {
  TenantTx: [ROLES.app],
  // A read runs under the reading role, and inside a transaction under the company's role.
  TenantRead: [ROLES.read, ROLES.app],
  SystemTx: [ROLES.system],
  AnyTx: [ROLES.app, ROLES.system],
};

/** The statements for one company that read no table, each with the reason. */
const WITHOUT_TABLES: Record<string, string> = {
  'knowledge.findStems': 'finds the stems of given words',
  'knowledge.countFrequentWords': 'counts given words',
  'distribution.tryLockCompany': 'a lock of the company',
  'tenant.lockLimit': 'a lock of a limit, which the company names',
};

const RUN_KINDS = [CONVERSATION_RUNS, CONTACT_RUNS, IMPORTS, REPLAYS];

/** The queue tables whose claims are leases. */
const QUEUES = [
  CAMPAIGN_QUEUE,
  COPY_QUEUE,
  FOLLOW_UP_QUEUE,
  KNOWLEDGE_QUEUE,
  PUSH_QUEUE,
  RULE_EVENTS,
  SCHEDULED_QUEUE,
  TURN_QUEUE,
  ...RUN_KINDS.map(runQueue),
];

/** The statements of the system role that have no company condition, each with the reason. */
const WITHOUT_COMPANY: Record<string, string> = {
  'audit.deleteOld.rest': 'retention, by age alone',
  'audit.findFirstKept': 'the first id of a day',
  'companies.addUpChanges': 'what changed in all companies is added up, each change to the sum of its own',
  'companies.count': 'all companies: for global keys alone, which the operation sees to',
  'companies.count.since': 'all companies: for global keys alone, which the operation sees to',
  'companies.find': 'the company itself',
  'companies.findActive': 'the company itself',
  'companies.findAny': 'whether there is any company',
  'companies.insert': 'the company itself',
  'companies.list': 'all companies: for global keys alone, which the operation sees to',
  'companies.lock': 'the company itself',
  'companies.lockSums': 'a lock of the whole installation',
  'companies.update': 'the company itself',
  'idempotency.purge': 'retention, by age alone',
  'inboxes.findCalled': 'a network calls an inbox by its id',
  'inboxes.findOfAccount': 'the network speaks of an account, whoever it belongs to',
  'inboxes.findOldestAllowing': "the sandbox's shop shows the first chat that allows it",
  'inboxes.findOwner': 'a number belongs to one inbox of the installation',
  'inboxes.dropOtherClaims': 'who named a number that proved to be another one, whoever they are',
  'inboxes.moveMatching': "the sandbox's networks listen at other ports, whoever has them",
  'inboxes.replaceAllowedOrigin': "the sandbox's shop listens on another port, whoever allows it",
  'inboxes.setCoexistence': 'the network speaks of an account, whoever it belongs to',
  'inbound.insertAsides': 'of what cannot be read nobody knows the company',
  'inbound.deleteAside': 'retention, by age alone',
  'inbound.exceedsQuota': 'the company itself',
  'messages.findUndivided': 'companies, by their ids',
  'messages.listDuePlaces': 'companies, by the places that wait',
  'messages.fillPart': 'a function of the database that has the condition',
  'limits.purge': 'buckets belong to subjects, of which a company is one',
  'retention.countPages': 'the size of a table',
  'notifications.deleteOld': 'retention, by age alone',
  'away-texts.deleteOver': 'retention, by age alone',
  'scheduled-messages.deleteEnded': 'retention, by age alone',
  'rules.deleteOldRuns': 'retention, by age alone',
  'runs.deleteOld': 'retention, by age alone',
  'bulk.deleteOldRuns': 'runs of all companies, by their age alone',
  'bulk.deleteOldPeople': 'days of all companies, by their age alone',
  'bulk.deleteOldPlaces': 'days of all companies, by their age alone',
  'bulk.deleteOldMinutes': 'days of all companies, by their age alone',
  'bulk.deleteOldPairs': 'pairs of all companies, by their age alone',
  'live.deleteOldChanges': 'noted changes of all companies, by their age alone',
  'live.deleteUnwatched': 'companies that nobody watches any more, by the time alone',
  'inboxes.setPeopleLimit': "an account's notification names no company",
  'campaigns.findDifferences': 'a function of the database that has the condition',
  'reports.tryLockFacts': 'a lock with the name of a company, which reads no table',
  'campaigns.mendCounters': 'a function of the database that has the condition',
  'knowledge.queueOtherModels': 'items of all companies, by their model alone',
  'agents.deleteOldTurns': 'retention, by age alone',
  'agents.deleteOldBudgets': 'retention, by age alone',
  'connected-apps.insertClient': 'nobody has logged in when a client registers',
  'connected-apps.findClient': 'a client belongs to no company',
  'connected-apps.touchClient': 'a client belongs to no company',
  'connected-apps.trimClients': 'clients belong to no company',
  'connected-apps.purgeClients': 'clients belong to no company',
  'connected-apps.purge': 'retention, by age alone',
  'users.extendSession': 'a cookie names no company: its hash is what it is found by',
  'users.holdAddress': 'the lock of an address, whoever uses it',
  'users.endSessions': 'the sessions of a person, in whatever company',
  'users.purgeLinks': 'retention, by age alone',
  'users.purgeSessions': 'retention, by age alone',
  'users.purgeMailings': 'retention, by age alone',
  'users.purgePeople': 'people whom no company has among its users any more',
  'users.writePassword': 'the password of a person, which belongs to no company',
  'users.lockFactor': 'the second factor of a person, which belongs to no company',
  'users.storeFactor': 'the second factor of a person, which belongs to no company',
  'users.storePending': 'the second factor of a person, which belongs to no company',
  'users.lockPending': 'the second factor of a person, which belongs to no company',
  'users.enableFactor': 'the second factor of a person, which belongs to no company',
  'users.passkeys': 'the passkeys of a person, which belong to no company',
  'users.insertPasskey': 'a passkey of a person, which belongs to no company',
  'users.findPasskey': 'a passkey of a person, which belongs to no company',
  'users.findCredential': 'a browser names a passkey before it is known whose it is',
  'users.listCredentials': 'the passkeys of a person, which belong to no company',
  'users.hasPasskey': 'the passkeys of a person, which belong to no company',
  'users.renamePasskey': 'a passkey of a person, which belongs to no company',
  'users.usePasskey': 'a passkey of a person, which belongs to no company',
  'users.deletePasskey': 'a passkey of a person, which belongs to no company',
  'users.deletePasskeys': 'the passkeys of a person, which belong to no company',
  'users.useChallenge': 'a challenge belongs to no company',
  'users.purgeChallenges': 'retention, by age alone',
  'users.deleteFactor': 'the second factor of a person, which belongs to no company',
  'webhooks.deleteOldDeliveries.rest': 'retention, by age alone',
  'webhooks.findFirstKeptDelivery': 'retention, by age alone',
  'webhooks.moveReceivers': "the sandbox's own webhooks, by their address",
};

/** The roles for a parameter's type, which may be a union. */
function findRoles(type = ''): Role[] {
  return [...new Set(type.split('|').flatMap((name) => RUNNERS[name.trim()] ?? []))];
}

interface Found extends Statement {
  file: string;
  builder: string;
  roles: Role[];
}

/** A stand-in for any argument: it behaves like a list of one, a text, a number or a record. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_target, key) => {
    if (key === Symbol.iterator) return [anything][Symbol.iterator].bind([anything]);
    if (key === Symbol.toPrimitive) return () => '1';
    if (key === 'toJSON') return () => null;
    if (key === 'then') return undefined;
    if (key === 'length') return 1;
    if (key === 'map' || key === 'flatMap') return (change: (item: unknown) => unknown) => [change(anything)];
    return anything;
  },
  apply: () => [anything],
});

const TIME = '2026-01-01T00:00:00.000Z';
/** The positions of a list: from its beginning and from a cursor, of all records and of those changed since a time. */
const makeWindows = (...fields: Window['field'][]): Window[] =>
  fields.flatMap((field) => {
    const cursor = { at: field === 'row_index' || field === 'priority' ? '7' : TIME, id: '0'.repeat(24) };
    const asked = { limit: 1, skipCount: false };
    const window = { limit: 1, offset: 0, field, descending: true, after: null, since: null, seal: '', asked };
    return [
      window,
      { ...window, descending: false, after: cursor },
      { ...window, after: cursor, since: TIME },
      { ...window, descending: false, since: TIME },
    ];
  });

/** Sorts that only some lists have. */
const ACTIVE = makeWindows('last_message_at');
const CONVERSATIONS = makeWindows('last_message_at', 'waiting_since', 'priority');
const MORE_WINDOWS: Record<string, Window[]> = {
  // listContacts is only used without updated_since; the other statements handle that filter.
  listContacts: ACTIVE.filter(({ since }) => since === null),
  listMatchingContacts: ACTIVE,
  listConversations: CONVERSATIONS,
  lookUpConversations: CONVERSATIONS,
  listBroadMatches: CONVERSATIONS,
  listNearContacts: ACTIVE,
  listNearConversations: CONVERSATIONS,
  listRows: makeWindows('row_index'),
  listRowsNear: makeWindows('row_index'),
  listMatchingInOrder: makeWindows('row_index'),
  lookUpRows: makeWindows('row_index'),
};

/** The filters of a list: with all conditions, with none, and with each one alone. */
const filters = (...names: string[]): unknown[] => [
  anything,
  ...[null, ...names].map((asked) => Object.fromEntries(names.map((name) => [name, name === asked ? '1' : null]))),
];

/** The filters of contacts: each operator on each column and on a field of each type, and searches. */
const FIELDS = [
  ...COLUMNS.map((column) => ({ column })),
  ...FIELD_TYPES.map((type) => ({ _id: '0'.repeat(24), type })),
];
const MATCHES = [
  { ids: null, search: null, filters: [] },
  { ids: ['0'.repeat(24), '1'.repeat(24)], search: null, filters: [] },
  ...['Jo', 'zq', 'José', '+55 (11) 9', '%', '0'.repeat(24)].map((search) => ({ ids: null, search, filters: [] })),
  ...FIELDS.flatMap((field) =>
    OPERATORS.flatMap((operator) =>
      ['7', 'maria'].map((value) => ({ ids: null, search: null, filters: [{ field, operator, value }] })),
    ),
  ),
];

const ROW_MATCHES = [
  ...[['Jo'], ['maria'], ['Jo', 'zq']].map((texts) => ({ texts, filters: [] })),
  { texts: ['maria'], filters: [], reader: { contact: null } },
  ...[...FIELD_TYPES, 'URL'].flatMap((type) =>
    OPERATORS.map((operator) => ({ texts: [], filters: [{ key: 'a', type, operator, value: '777' }] })),
  ),
];

/** Arguments that make a function build its other statements, by the parameter's type. Other types get `anything`. */
const VARIANTS: Record<string, unknown[]> = {
  Window: makeWindows('createdAt', 'updatedAt'),
  CreationWindow: makeWindows('createdAt').filter(({ since }) => since === null),
  MessageFilter: filters('conversation', 'contact', 'inbox', 'mentioned', 'search'),
  Since: [{ since: null }, { since: TIME }],
  DeliveryFilter: [...filters('event', 'status'), ...DELIVERY_STATUSES.map((status) => ({ event: null, status }))],
  InboxFilter: filters('status', 'channel'),
  UserFilter: filters('status', 'role'),
  KeyFilter: filters('company', 'createdBy'),
  CompanyFilter: filters('status', 'search'),
  FieldFilter: filters('context', 'search'),
  BusinessFilter: filters('search'),
  StripStep: ['contact', 'conversation', 'business'].map((context) => ({ context, field: '', after: '', limit: 1 })),
  DepartingTable: ['users', 'teams', 'businesses'],
  'keyof typeof NAMED_BY_CONTACTS': ['users', 'businesses'],
  'readonly (string | null)[]': [['0'.repeat(24), null]],
  AuditFilter: filters('actor', 'action', 'resource', 'resourceId', 'from', 'to'),
  ContactMatch: MATCHES,
  RowMatch: ROW_MATCHES,
  "Record<'owner' | 'business', string | null>": [anything],
  EnrollmentFilter: filters('campaign', 'contact', 'status'),
  LinkField: Object.keys(LINKS),
  CampaignFilter: filters('status', 'inbox', 'search'),
  AudienceMatch: [null, { exact: ' and (name = $2::text)', values: ['7'] }].flatMap((condition) =>
    [[], ['vip']].map((tags) => ({ filters: condition, tags, contacts: [] })),
  ),
  SkipRules: [
    { needed: [], restingCodes: [], refusal: ({ name }: FactsSql) => `case when ${name} is null then 'x' end` },
    {
      needed: [
        { field: 'name', customField: '0' },
        { field: null, customField: null },
      ],
      restingCodes: ['131049'],
      refusal: (facts: FactsSql) => `case when ${Object.values(facts).join(' is null or ')} is null then 'x' end`,
    },
  ],
  BroadQuery: [{ filter: anything, search: toBroadSearch('7') }],
  NearQuery: [null, toBroadSearch('7')].map((search) => ({ filter: anything, search })),
  RunKind: RUN_KINDS,
  'RunKind<R>': RUN_KINDS,
  LeasedTable: [FOLLOW_UP_QUEUE, SCHEDULED_QUEUE],
  MovedTable: MOVED_TABLES,
  AutomaticQueue: [AWAY_QUEUE, CSAT_QUEUE],
  // Some functions look into a text before they send it, so it must look like a real one.
  string: ['7'],
  PartitionSuffix: ['rest'],
  // An API key belongs to a company or is global.
  'string | null': [anything, null],
  NewOutgoing: [{ content: {} }],
  'readonly NewOutgoing[]': [[{ content: {} }]],
  // Most messages have no files.
  'NewFile[]': [anything, []],
  'WebhookRow | null': [{ status: 'ACTIVE', events: [] }, null],
};

interface Builder {
  name: string;
  /** The types of the function's parameters, as written. */
  types: string[];
}

function findBuilders(text: string): Builder[] {
  const builders: Builder[] = [];
  new Visitor({
    ExportNamedDeclaration({ declaration }) {
      if (declaration?.type !== 'FunctionDeclaration' || !declaration.id) return;
      const types = declaration.params.map((parameter) => {
        const annotation = 'typeAnnotation' in parameter ? parameter.typeAnnotation : null;
        return annotation ? text.slice(annotation.start + 1, annotation.end).trim() : '';
      });
      if (findRoles(types[0]).length > 0) builders.push({ name: declaration.id.name, types });
    },
  }).visit(parseSync('queries.ts', text).program);
  return builders;
}

interface Collecting {
  file: string;
  builder: Builder;
  build(...args: unknown[]): unknown;
  /** The number of rows that each statement reports as changed. */
  touched?: number;
}

/** Calls a function with each variant of its arguments, and records the statements that it would send. */
async function collect({ file, builder, build, touched = 1 }: Collecting): Promise<Found[]> {
  const found: Found[] = [];
  const roles = findRoles(builder.types[0]);
  const record = (statement: Statement): void => void found.push({ ...statement, file, builder: builder.name, roles });
  const executor: Executor & { companyId: string } = {
    companyId: '0'.repeat(24),
    query: async <R>(statement: Statement) => {
      record(statement);
      return [anything] as R[];
    },
    execute: async (statement) => {
      record(statement);
      return touched;
    },
  };
  let ways: unknown[][] = [[executor]];
  for (const type of builder.types.slice(1)) {
    const variants = [
      ...(VARIANTS[type] ?? [anything]),
      ...(type === 'Window' ? (MORE_WINDOWS[builder.name] ?? []) : []),
    ];
    ways = ways.flatMap((way) => variants.map((argument) => [...way, argument]));
  }
  for (const way of ways) await build(...way);
  return found;
}

const AUDIT_ENTRY: AuditEntry = {
  company: '0'.repeat(24),
  actor: { type: 'KEY', _id: null, name: 'x' },
  action: 'inboxes.update',
  resource: 'inboxes',
  resourceId: null,
  fields: [],
  origin: null,
};

/** The statements that the platform adds to a room's work: events, the audit, Idempotency-Keys, rate limits. */
async function collectPlatform(): Promise<Found[]> {
  const item = { event: 'CONTACT_CREATED', data: { _id: 'x', company: 'x' } } as const;
  const both = 'SystemTx | TenantTx';
  const owners = ['0'.repeat(24), null].map((company) => ({ company, principal: 'x', key: 'x' }));
  const attempts = owners.map((owner) => ({ ...owner, id: 'x' }));
  const part = (name: string, type: string, build: (tx: SystemTx) => unknown, touched = 1): Promise<Found[]> =>
    collect({
      file: `src/platform/${name.split('.')[0]}.ts`,
      builder: { name, types: [type] },
      build: (tx) => build({ ...(tx as SystemTx), wakes: () => undefined, concerns: () => undefined }),
      touched,
    });
  const once = (system: SystemTx, owner: (typeof owners)[number]) =>
    runOnce(system, {
      owner,
      fingerprint: Buffer.alloc(32),
      run: async () => ({ answer: 1, status: 201 }),
      again: async () => 1,
    });
  const parts = [
    part('events.emit', both, (tx) => emit(tx, [item])),
    part('store/names.findNames', 'TenantRead', (tx) => {
      const asked = Object.keys(NAMES).map((kind) => [kind as keyof typeof NAMES, new Set(['0'.repeat(24)])] as const);
      return findNames(tx as unknown as TenantRead, NAMES, new Map(asked));
    }),
    part('audit.recordAudit', both, (tx) => recordAudit(tx, AUDIT_ENTRY)),
    part('idempotency.purgeAttempts', 'SystemTx', (tx) => purgeAttempts(tx, 1)),
    part('limits.purgeBuckets', 'SystemTx', purgeBuckets),
    part('store/limit-lock.lockLimit', 'TenantTx', (tx) => lockLimit(tx as unknown as TenantTx, 'x')),
    ...QUEUES.flatMap((queue) => [
      part('claims/leases.requeue', 'SystemTx', (tx) => openLeases(tx, queue).requeue()),
      part('claims/leases.renew', 'SystemTx', (tx) => openLeases(tx, queue).renew([])),
    ]),
    ...RUN_KINDS.map(runQueue).map((queue) =>
      part('claims/leases.recordTurns', 'SystemTx', (tx) => recordTurns(tx, queue, [])),
    ),
    part('retention.purgeByPages', 'SystemTx', (tx) => purgeByPages(tx, 'audit_log', async () => undefined)),
    ...attempts.map((attempt) => part('idempotency.bindKeyToRecord', both, (tx) => bindKeyToRecord(tx, attempt, 'x'))),
    // The statement runs once with a free Idempotency-Key and once with a used one.
    ...owners.flatMap((owner) => [
      part('idempotency.runOnce', 'SystemTx', (tx) => once(tx, owner)),
      part('idempotency.runOnce', 'SystemTx', (tx) => once(tx, owner).catch(() => undefined), 0),
    ]),
  ];
  return (await Promise.all(parts)).flat();
}

const database = await openTestDatabase();
after(() => database.close());

const statements: Found[] = await collectPlatform();
for (const file of FILES) {
  const built = (await import(join(ROOT, file))) as Record<string, (...args: unknown[]) => unknown>;
  for (const builder of findBuilders(readFileSync(join(ROOT, file), 'utf8'))) {
    const build = built[builder.name];
    assert.ok(build);
    statements.push(...(await collect({ file, builder, build })));
  }
}

test('every statement in a queries file is built by this test', () => {
  assert.ok(FILES.length >= 8 && statements.length > 40, `${FILES.length} files, ${statements.length} statements`);
  for (const file of FILES) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const built = new Set(statements.filter((statement) => statement.file === file).map((statement) => statement.name));
    for (const [, quote, name = '', end] of text.matchAll(/(?:name: |byId\()(['`])([\w-]+\.[\w.-]+)(\1|\$)/g)) {
      // A name that is put together at run time is compared by its beginning.
      const isBuilt = end === quote ? built.has(name) : [...built].some((other) => other.startsWith(name));
      assert.ok(isBuilt, `${file}: ${name} was never built`);
    }
    assert.ok(built.size > 0, `${file} has statements`);
  }
});

test('only the queries files of a room contain SQL', () => {
  const others = globSync('src/features/**/*.ts', { cwd: ROOT }).filter(
    (file) => !FILES.includes(file) && !file.endsWith('.test.ts'),
  );
  assert.ok(others.length > 20);
  for (const file of others) {
    assert.doesNotMatch(
      readFileSync(join(ROOT, file), 'utf8'),
      /\btext: ?['`]\s*(select|insert|update|delete|with)\b/i,
      file,
    );
  }
});

test("a statement's name belongs to one text, because it is prepared once for each connection", () => {
  const texts = new Map<string, string>();
  for (const { name, text, file, planEachTime } of statements) {
    assert.ok(name, `${file}: a statement without a name`);
    // A statement with this flag is sent without a name, so it cannot share its name with another one.
    if (planEachTime) continue;
    assert.equal(texts.get(name) ?? text, text, `${name} names two statements`);
    texts.set(name, text);
  }
});

test("a statement's name begins with its room", () => {
  for (const { name, file } of statements.filter((statement) => FILES.includes(statement.file))) {
    const room = file.startsWith('src/features/') ? file.split('/')[2] : basename(dirname(file));
    assert.ok(name.startsWith(`${room}.`), `${name} of ${file}`);
  }
});

test('a statement for one company has a company condition, and gets the company as a value', () => {
  for (const { name, text, values, roles } of statements) {
    if (roles.includes(ROLES.system) || name in WITHOUT_TABLES) continue;
    assert.match(text, /company_id/, name);
    assert.equal(values[0], '0'.repeat(24), `${name}: the first value is the company`);
    const conditions = /^\s*insert/.test(text) ? /\(company_id, / : /company_id = \$1/;
    assert.match(text, conditions, name);
  }
});

test('a statement of the system role has a company condition, or an exception here', () => {
  // A statement on the table of companies always needs a reason here: its own id is `_id`, and a `company_id` in it belongs to another
  // table.
  const names = statements
    .filter(
      ({ name, text, roles }) =>
        roles.includes(ROLES.system) && (name.startsWith('companies.') || !/company_id(?! as company)/.test(text)),
    )
    .map(({ name }) => name.replace(/^(companies\.list|users\.passkeys)\..*/, '$1'));
  assert.deepEqual([...new Set(names)].toSorted(), Object.keys(WITHOUT_COMPANY).toSorted());
});

test('no statement names a row by its ctid, which several rows of a partitioned table have, but for deletes of a range of pages', () => {
  const named = statements.filter(({ text }) => /\bctid\b/i.test(text.replaceAll(IN_STRETCH, '')));
  const inRange = ['agents.deleteOldTurns', 'bulk.deleteOldRuns', 'webhooks.deleteOldDeliveries.rest'];
  assert.deepEqual([...new Set(named.map(({ name }) => name))].toSorted(), inRange);
});

test('no statement sends a NOTIFY, which would make commits wait for each other (defect 14)', async () => {
  assert.deepEqual(
    statements.filter(({ text }) => /\bnotify\b/i.test(text)).map(({ name }) => name),
    [],
  );
  const queues = await database.sql<{ notify: boolean }>('select notify from pgboss.queue');
  assert.ok(queues.length > 0 && queues.every((queue) => !queue.notify));
});

for (const role of [ROLES.app, ROLES.read, ROLES.system]) {
  test(`every statement that ${role} runs can be prepared and planned by that role`, async () => {
    const client = await connectAs(role, database);
    try {
      const own = new Map(statements.filter(({ roles }) => roles.includes(role)).map((item) => [item.text, item]));
      assert.ok(own.size > 5);
      for (const [index, statement] of [...own.values()].entries()) await plan(client, `s${index}`, statement);
    } finally {
      await client.end();
    }
  });
}

/** PREPARE checks names and types, and EXPLAIN EXECUTE checks the role's rights. Nothing is changed. */
async function plan(client: pg.Client, name: string, { text, file, builder }: Found): Promise<void> {
  try {
    await client.query(`prepare "${name}" as ${text}`);
    const { rows } = await client.query<{ count: number }>(
      'select cardinality(parameter_types) as count from pg_prepared_statements where name = $1',
      [name],
    );
    const nulls = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null');
    await client.query(`explain execute "${name}" ${nulls.length > 0 ? `(${nulls.join(', ')})` : ''}`);
    await client.query(`deallocate "${name}"`);
  } catch (error) {
    assert.fail(`${builder} of ${file}: ${(error as Error).message}`);
  }
}
