/**
 * The owner of each table. The name of a migration's file begins with its room, and the room owns the tables that the file makes. A room's
 * SQL may name its own tables, those of rooms listed before it, and the platform's.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ROOMS, type Room } from './rooms.ts';
import type { Violation } from './source-facts.ts';

export type Owner = Room | 'platform';

export interface MigrationFile {
  path: string;
  text: string;
}

export const readMigrations = (): MigrationFile[] =>
  globSync('migrations/*.sql').map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Throws for a file whose name begins with no room. */
export function readTableOwners(migrations: readonly MigrationFile[]): Map<string, Owner> {
  return new Map(
    migrations.flatMap(({ path, text }) => {
      const made = text.matchAll(/\bcreate (?:unlogged )?table (?:if not exists )?(\w+)/gi);
      return [...made].map(([, table = '']) => [table, findRoom(path)] as const);
    }),
  );
}

/**
 * The migrations that may create functions and triggers: those before sql/, and later ones that need an object of sql/ in their own
 * transaction, for an index, a generated column or rows that they move.
 */
const MAY_CREATE = /\/(?:00[0-3]\d|004[016]|005[07]|015[04])_/;
/** A function of `pg_temp` is for its migration alone. The two procedures create triggers. */
const OBJECT =
  /^(?!\s*--).*?\b(?:create\s+(?:or\s+replace\s+)?(?:constraint\s+)?(?:function|procedure|trigger)\s+(?!pg_temp\.)|call\s+(?:counted|noted)_table\b)/gim;

/** Lists the functions, procedures and triggers that new migrations create: they are written in sql/. */
export function findMigratedObjects(migrations: readonly MigrationFile[]): Violation[] {
  const later = migrations.filter(({ path }) => !MAY_CREATE.test(path));
  return later.flatMap(({ path, text }) =>
    [...text.matchAll(OBJECT)].map(({ index }) => ({
      path,
      line: text.slice(0, index).split('\n').length,
      sentence: 'creates a function, procedure or trigger, which belongs in sql/',
    })),
  );
}

/** Throws for a file whose name begins with no room. */
export function findRoom(path: string): Owner {
  const name = basename(path, '.sql').replace(/^\d+_/, '').replaceAll('_', '-');
  const room = ([...ROOMS, 'platform'] as const).find((listed) => name === listed || name.startsWith(`${listed}-`));
  if (!room) throw new Error(`${path}: the name begins with no room of scripts/rooms.ts`);
  return room;
}

export interface TableException {
  room: Owner;
  /** A table of a room that is listed later. */
  table: string;
  reason: string;
}

/** The check fails on an exception that is not needed any more. */
export const EXCEPTIONS: readonly TableException[] = [
  { room: 'platform', table: 'audit_log', reason: 'a line of the audit is written with the change that it tells of' },
  { room: 'platform', table: 'event_listeners', reason: 'emit() asks who listens, in the statement that queues' },
  { room: 'platform', table: 'door_listeners', reason: 'emit() asks who listens, in the statement that queues' },
  { room: 'platform', table: 'deliveries', reason: 'emit() queues in the transaction of the change' },
  { room: 'platform', table: 'delivery_queue', reason: 'emit() queues in the transaction of the change' },
  {
    room: 'platform',
    table: 'companies',
    reason: 'a number without country code is read in the country of the company; nobody listens to a suspended one',
  },
  { room: 'users', table: 'companies', reason: "a suspended company's people do not come in; mails say its name" },
  { room: 'users', table: 'single_sign_on', reason: 'a log-in by the provider may count as the second factor' },
  { room: 'connected-apps', table: 'companies', reason: "a suspended company's apps do not work" },
  { room: 'api-keys', table: 'users', reason: 'a filter that names an unknown maker of keys is refused' },
  { room: 'api-keys', table: 'companies', reason: "a suspended company's keys do not work" },
  { room: 'business-hours', table: 'inboxes', reason: 'removed hours are named by no inbox' },
  { room: 'inboxes', table: 'companies', reason: 'what a suspended company receives is answered by nobody' },
  { room: 'custom-fields', table: 'businesses', reason: "a removed field's values go, wherever they are" },
  { room: 'custom-fields', table: 'contacts', reason: "a removed field's values go, wherever they are" },
  { room: 'custom-fields', table: 'conversations', reason: "a removed field's values go, wherever they are" },
  {
    room: 'contacts',
    table: 'conversations',
    reason: 'who is erased is locked in the order of all who write, and whole',
  },
  { room: 'contacts', table: 'messages', reason: 'who is erased is erased with what was said, a portion at a time' },
  {
    room: 'contacts',
    table: 'message_keys',
    reason: 'a report of the network names the message whose recipient it names',
  },
  { room: 'contacts', table: 'parked_updates', reason: 'who is erased takes along what waits for a message' },
  { room: 'contacts', table: 'callbacks_aside', reason: 'who is erased takes along what could not be understood' },
  { room: 'contacts', table: 'table_rows', reason: 'who is erased is named by no row, a portion at a time' },
  { room: 'pipelines', table: 'conversations', reason: 'a removed step hands its conversations on' },
  { room: 'companies', table: 'agents', reason: "a company's record shows its agents; they have no room yet" },
  {
    room: 'conversations',
    table: 'notifications',
    reason: 'who marks a conversation as read has read what notified them of it',
  },
  { room: 'conversations', table: 'messages', reason: 'a record shows its last message; a read mark names one' },
  {
    room: 'messages',
    table: 'campaign_enrollments',
    reason: 'a message that waits to be sent again has no outcome yet; its outcome is stored with its enrollment',
  },
  { room: 'messages', table: 'campaign_sends', reason: 'the outcome of a message is stored with its send' },
  { room: 'messages', table: 'campaigns', reason: 'a message that is accepted plans the next step of its campaign' },
  { room: 'admission', table: 'messages', reason: 'a recipient rests after a refusal of the network' },
  { room: 'messages', table: 'unreadable_items', reason: 'the health of an inbox shows what it could not read' },
  { room: 'bulk', table: 'agents', reason: 'a run that names an unknown agent is refused' },
  { room: 'conversations', table: 'agents', reason: 'a filter that names an unknown agent is refused' },
];
