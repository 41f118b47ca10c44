/**
 * Every statement that the rooms can build, prepared and planned against the migrated schema under the role that will run it:
 * a mistyped column, a missing grant or a forgotten company does not wait for its first caller.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import pg from 'pg';
import type { Executor, Statement } from '../../src/platform/db.ts';
import { DELIVERY_STATUSES } from '../../src/features/webhooks/schemas.ts';
import { ROLES, sessionOptions } from '../../src/platform/db.ts';
import { emit } from '../../src/platform/events.ts';
import type { SystemTx } from '../../src/platform/tenant.ts';
import { openTestDatabase } from '../support/database.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync('src/features/**/{queries,*-queries}.ts', { cwd: ROOT }).toSorted();

type Role = (typeof ROLES)[keyof typeof ROLES];

/** Who runs a statement, by the type of its function's first parameter. */
const RUNNERS: Record<string, Role[]> = {
  TenantTx: [ROLES.app],
  // Reads run under the reading role, and inside transactions under the one of the company.
  TenantRead: [ROLES.read, ROLES.app],
  SystemTx: [ROLES.system],
  AnyTx: [ROLES.app, ROLES.system],
};

/** Statements across companies that name no company, and why. */
const WITHOUT_COMPANY: Record<string, string> = {
  'companies.insert': 'the company itself',
  'companies.findActive': 'the company itself',
  'companies.findAny': 'whether there is any company',
  'companies.lockInstallation': 'a lock of the whole installation',
  'inboxes.setCoexistence': 'the network speaks of an account, whoever it belongs to',
  'inbound.insertAside': 'of what can not be read nobody knows the company',
  'inbound.deleteAside': 'retention, by age alone',
  'webhooks.countDeliveryPages': 'the size of the table',
  'webhooks.deleteOldDeliveries': 'retention, by age alone',
  'webhooks.moveReceivers': "the sandbox's own webhooks, by their address",
  'webhooks.sweepInterrupted': 'what dead workers left, by age alone',
};

/** By the parameter's type, which may be a union. */
function rolesOf(type = ''): Role[] {
  return [...new Set(type.split('|').flatMap((name) => RUNNERS[name.trim()] ?? []))];
}

interface Found extends Statement {
  file: string;
  builder: string;
  roles: Role[];
}

/** Stands for any argument: a list of one, a text, a number, a record, whatever it is asked for. */
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

const window = (descending: boolean, cursor: boolean) => ({
  limit: 1,
  offset: 0,
  descending,
  after: cursor ? { createdAt: '2026-01-01T00:00:00.000Z', id: '0'.repeat(24) } : null,
});

/** A list's filter: everything asked for, nothing, and each of its parts alone. */
const filters = (...names: string[]): unknown[] => [
  anything,
  ...[null, ...names].map((asked) => Object.fromEntries(names.map((name) => [name, name === asked ? '1' : null]))),
];

/** Arguments that make a builder take its other ways, by the parameter's type; what is not here gets `anything`. */
const VARIANTS: Record<string, unknown[]> = {
  Window: [window(true, false), window(true, true), window(false, false), window(false, true)],
  DeliveryFilter: [...filters('event', 'status'), ...DELIVERY_STATUSES.map((status) => ({ event: null, status }))],
  InboxFilter: filters('status', 'channel'),
  'WebhookRow | null': [{ status: 'ACTIVE', events: [] }, null],
};

interface Builder {
  name: string;
  /** The types of its parameters, as written. */
  types: string[];
}

function buildersOf(text: string): Builder[] {
  const builders: Builder[] = [];
  new Visitor({
    ExportNamedDeclaration({ declaration }) {
      if (declaration?.type !== 'FunctionDeclaration' || !declaration.id) return;
      const types = declaration.params.map((parameter) => {
        const annotation = 'typeAnnotation' in parameter ? parameter.typeAnnotation : null;
        return annotation ? text.slice(annotation.start + 1, annotation.end).trim() : '';
      });
      if (rolesOf(types[0]).length > 0) builders.push({ name: declaration.id.name, types });
    },
  }).visit(parseSync('queries.ts', text).program);
  return builders;
}

/** Calls a builder in each of its ways, and records what it would have sent. */
async function collect(file: string, builder: Builder, build: (...args: unknown[]) => unknown): Promise<Found[]> {
  const found: Found[] = [];
  const roles = rolesOf(builder.types[0]);
  const record = (statement: Statement): void => void found.push({ ...statement, file, builder: builder.name, roles });
  const executor: Executor & { companyId: string } = {
    companyId: '0'.repeat(24),
    query: async <R>(statement: Statement) => {
      record(statement);
      return [anything] as R[];
    },
    execute: async (statement) => {
      record(statement);
      return 1;
    },
  };
  let ways: unknown[][] = [[executor]];
  for (const type of builder.types.slice(1)) {
    ways = ways.flatMap((way) => (VARIANTS[type] ?? [anything]).map((argument) => [...way, argument]));
  }
  for (const way of ways) await build(...way);
  return found;
}

/** The statement of the outbox lives in the platform: each room emits. */
async function collectEmit(): Promise<Found[]> {
  const item = { event: 'CONTACT_CREATED', data: { _id: 'x', company: 'x' } } as const;
  const builder = { name: 'emit', types: ['SystemTx | TenantTx', 'EventItem[]'] };
  return collect('src/platform/events.ts', builder, (tx) =>
    emit({ ...(tx as SystemTx), afterCommit: () => undefined }, [item]),
  );
}

const database = await openTestDatabase();
after(() => database.close());

const statements: Found[] = await collectEmit();
for (const file of FILES) {
  const built = (await import(join(ROOT, file))) as Record<string, (...args: unknown[]) => unknown>;
  for (const builder of buildersOf(readFileSync(join(ROOT, file), 'utf8'))) {
    const build = built[builder.name];
    assert.ok(build);
    statements.push(...(await collect(file, builder, build)));
  }
}

test('every statement that is written in a queries file is built here', () => {
  assert.ok(FILES.length >= 8 && statements.length > 40, `${FILES.length} files, ${statements.length} statements`);
  for (const file of FILES) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const built = new Set(statements.filter((statement) => statement.file === file).map((statement) => statement.name));
    for (const [, quote, name = '', end] of text.matchAll(/(?:name: |byId\()(['`])([\w-]+\.[\w.-]+)(\1|\$)/g)) {
      // Of a name that is put together its first words count.
      const isBuilt = end === quote ? built.has(name) : [...built].some((other) => other.startsWith(name));
      assert.ok(isBuilt, `${file}: ${name} was never built`);
    }
    assert.ok(built.size > 0, `${file} has statements`);
  }
});

test('SQL has one home in a room: its queries', () => {
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

test('a name stands for one text: it is prepared once per connection', () => {
  const texts = new Map<string, string>();
  for (const { name, text, file } of statements) {
    assert.ok(name, `${file}: a statement without a name`);
    assert.equal(texts.get(name) ?? text, text, `${name} names two statements`);
    texts.set(name, text);
  }
});

test('a name begins with its room', () => {
  for (const { name, file } of statements.filter((statement) => FILES.includes(statement.file))) {
    const room = relative('src/features', file).split('/')[0] ?? basename(file);
    assert.ok(name.startsWith(`${room}.`), `${name} of ${file}`);
  }
});

test('a statement of one company names the company in its text and gives it as a value', () => {
  for (const { name, text, values, roles } of statements) {
    if (roles.includes(ROLES.system)) continue;
    assert.match(text, /company_id/, name);
    assert.equal(values[0], '0'.repeat(24), `${name}: the first value is the company`);
    const conditions = /^\s*insert/.test(text) ? /\(company_id, / : /company_id = \$1/;
    assert.match(text, conditions, name);
  }
});

test('a statement across companies carries the company, or stands here with its reason', () => {
  const silent = statements.filter(({ text, roles }) => roles.includes(ROLES.system) && !/company_id/.test(text));
  assert.deepEqual([...new Set(silent.map(({ name }) => name))].toSorted(), Object.keys(WITHOUT_COMPANY).toSorted());
});

test('no statement notifies: a NOTIFY inside a writing transaction makes commits wait for each other (defect 14)', async () => {
  assert.deepEqual(
    statements.filter(({ text }) => /\bnotify\b/i.test(text)).map(({ name }) => name),
    [],
  );
  const queues = await database.sql<{ notify: boolean }>('select notify from pgboss.queue');
  assert.ok(queues.length > 0 && queues.every((queue) => !queue.notify));
});

for (const role of Object.values(ROLES)) {
  test(`what runs as ${role} can be prepared and planned by it`, async () => {
    const client = new pg.Client({ connectionString: database.url, options: sessionOptions(role) });
    await client.connect();
    try {
      const own = new Map(statements.filter(({ roles }) => roles.includes(role)).map((item) => [item.name, item]));
      assert.ok(own.size > 5);
      for (const statement of own.values()) await plan(client, statement);
    } finally {
      await client.end();
    }
  });
}

/** PREPARE checks names and types; EXPLAIN EXECUTE also what the role may do. Nothing is changed. */
async function plan(client: pg.Client, { name, text, file, builder }: Found): Promise<void> {
  try {
    await client.query(`prepare "${name}" as ${text}`);
    const { rows } = await client.query<{ count: number }>(
      'select cardinality(parameter_types) as count from pg_prepared_statements where name = $1',
      [name],
    );
    const nulls = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null');
    await client.query(`explain execute "${name}" ${nulls.length > 0 ? `(${nulls.join(', ')})` : ''}`);
  } catch (error) {
    assert.fail(`${builder} of ${file}: ${(error as Error).message}`);
  }
}
