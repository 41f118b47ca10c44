/**
 * The import law of docs/architecture.md: main → api, worker → features → queries → platform; features → channels, ai → platform; api → doors →
 * platform. A room imports only rooms listed before it. Tests may import anything.
 */
import { posix } from 'node:path';
import { ROOMS } from './rooms.ts';
import type { ImportFact, SourceFacts, Violation } from './source-facts.ts';

type FileRole = 'schemas' | 'sql' | 'queries' | 'ingest queries' | 'events' | 'jobs' | 'routes' | 'operation';
/**
 * The kinds of files. reader: runs in a child process; boot: src/boot/, which puts the process together; kit: the services that boot hands
 * to each room; port and registry: in src/channels.
 */
type PlaceKind =
  | 'main'
  | 'boot'
  | 'api'
  | 'door'
  | 'worker'
  | 'reader'
  | 'config'
  | 'kit'
  | 'platform'
  | 'ai'
  | 'port'
  | 'registry'
  | 'channel';
type FilePlace =
  | { kind: Exclude<PlaceKind, 'channel'> }
  | { kind: 'channel'; folder: string }
  | { kind: 'room'; room: string; role: FileRole }
  | { kind: 'outside' }
  | { kind: 'unknown' };

interface RoomLaw {
  sentence: string;
  /** Files of the room itself that may be imported. */
  own: FileRole[];
  /** Files of rooms listed before that may be imported. */
  earlier: FileRole[];
  /** Files of rooms listed before of which only types may be imported. */
  earlierTypes: FileRole[];
  others: PlaceKind[];
  otherTypes: PlaceKind[];
}

const ROOM_LAWS: Record<FileRole, RoomLaw> = {
  schemas: {
    sentence: 'schemas know the platform, the channel port, the registry and the schemas of rooms listed before',
    own: ['schemas'],
    earlier: ['schemas'],
    earlierTypes: [],
    others: ['platform', 'port', 'registry'],
    otherTypes: [],
  },
  // Parts of statements that several rooms need.
  sql: {
    sentence: 'parts of statements know the platform',
    own: [],
    earlier: [],
    earlierTypes: [],
    others: ['platform'],
    otherTypes: [],
  },
  queries: {
    sentence:
      "queries know the platform, the room's schemas, and parts of statements and types of schemas of rooms listed before",
    own: ['schemas', 'sql', 'queries'],
    earlier: ['sql'],
    earlierTypes: ['schemas'],
    others: ['platform'],
    otherTypes: ['port', 'registry'],
  },
  // The code that stores callbacks runs these statements for many companies in one transaction.
  'ingest queries': {
    sentence: "ingest queries know the platform and the room's schemas and queries",
    own: ['schemas', 'sql', 'queries', 'ingest queries'],
    earlier: ['sql'],
    earlierTypes: ['schemas'],
    others: ['platform'],
    otherTypes: ['port', 'registry'],
  },
  events: {
    sentence:
      "events know the platform, the channel port, the room's schemas and operations, and schemas listed before",
    own: ['schemas', 'operation', 'events'],
    earlier: ['schemas'],
    earlierTypes: [],
    others: ['platform', 'port'],
    otherTypes: ['kit'],
  },
  jobs: {
    // An earlier room may ask for a job that only a later room can do, because the later room knows everything that the change affects.
    sentence:
      "jobs know the platform, the room's schemas, events and operations, and schemas and jobs of rooms listed before",
    own: ['schemas', 'operation', 'events'],
    earlier: ['schemas', 'jobs'],
    earlierTypes: [],
    others: ['platform'],
    otherTypes: ['port', 'kit'],
  },
  routes: {
    sentence: "routes know the platform, the room's schemas and operations, and schemas of rooms listed before",
    own: ['schemas', 'operation'],
    earlier: ['schemas'],
    earlierTypes: [],
    others: ['platform'],
    otherTypes: ['port', 'kit'],
  },
  operation: {
    sentence:
      'operations know the platform, channels by their port and registry, ai, their own room but for its routes, and ' +
      'operations and schemas of rooms listed before',
    own: ['schemas', 'sql', 'queries', 'ingest queries', 'events', 'jobs', 'operation'],
    earlier: ['schemas', 'sql', 'operation', 'ingest queries'],
    earlierTypes: [],
    others: ['platform', 'port', 'registry', 'ai'],
    otherTypes: ['kit'],
  },
};

const LAWS: Record<PlaceKind, { sentence: string; others: (PlaceKind | 'routes' | 'jobs' | 'operation')[] }> = {
  main: { sentence: 'main knows boot and config', others: ['boot', 'config'] },
  boot: {
    sentence: "boot knows api, worker, config, kit, the rooms' operations, the channels, ai and the platform",
    others: ['boot', 'api', 'worker', 'config', 'kit', 'operation', 'platform', 'registry', 'port', 'ai'],
  },
  api: {
    sentence: "api knows the rooms' routes, the doors, config, kit, the channels, ai and the platform",
    others: ['routes', 'door', 'config', 'kit', 'platform', 'registry', 'port', 'ai'],
  },
  // A door calls the operations of the API as its clients do, so it needs no room.
  door: { sentence: 'a door knows kit and the platform', others: ['door', 'kit', 'platform'] },
  worker: {
    sentence: "worker knows the rooms' jobs and operations, the doors, config, kit, the channels, ai and the platform",
    others: ['jobs', 'operation', 'door', 'config', 'kit', 'platform', 'registry', 'port', 'ai'],
  },
  reader: {
    sentence: "the program of a child process knows the rooms' operations, the channels and the platform",
    others: ['operation', 'port', 'registry', 'channel', 'platform'],
  },
  kit: { sentence: 'kit names the platform, the channels and ai', others: ['platform', 'registry', 'port', 'ai'] },
  config: { sentence: 'config knows the platform only', others: ['platform'] },
  platform: { sentence: 'the platform knows no feature, no channel and no ai', others: ['platform'] },
  ai: { sentence: 'ai knows the platform only', others: ['platform', 'ai'] },
  port: { sentence: 'the channel port knows the platform only', others: ['platform', 'port'] },
  registry: {
    sentence: 'the registry knows the channels and the platform',
    others: ['platform', 'port', 'channel', 'registry'],
  },
  channel: {
    sentence: 'a channel knows the platform, the channel port and its own folder',
    others: ['platform', 'port'],
  },
};

/** True for files that the law checks: programs, but not tests. */
export function isJudged(path: string): boolean {
  return path.startsWith('sandbox/') || path.startsWith('web/') || (path.startsWith('src/') && !isTest(path));
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** Lists the imports of one file that break the import law. */
export function findImportViolations(facts: SourceFacts): Violation[] {
  if (!isJudged(facts.path)) return [];
  const violations: Violation[] = [];
  const found = (line: number, sentence: string) => violations.push({ path: facts.path, line, sentence });
  const from = findPlace(facts.path);
  if (from.kind === 'unknown') {
    found(1, 'has no place in the layout of docs/architecture.md, or its room is not listed in scripts/rooms.ts');
  }
  for (const fact of facts.imports) {
    if (fact.specifier === null) found(fact.line, 'an import() with a computed address hides from the import law');
    else if (fact.specifier.startsWith('.')) {
      const sentence = findBrokenLaw(from, findPlace(posix.join(posix.dirname(facts.path), fact.specifier)), fact);
      if (sentence) found(fact.line, `imports ${fact.specifier}, but ${sentence}`);
    }
  }
  return violations;
}

const PORT = [
  'src/channels/abilities.ts',
  'src/channels/called.ts',
  'src/channels/channel.ts',
  'src/channels/check.ts',
  'src/channels/content.ts',
  'src/channels/distinct.ts',
  'src/channels/environment.ts',
  'src/channels/fetching.ts',
  'src/channels/identity.ts',
  'src/channels/gateway.ts',
  'src/channels/log-in.ts',
  'src/channels/office-hours.ts',
  'src/channels/scene.ts',
  'src/channels/web-config.ts',
  'src/channels/limits.ts',
  'src/channels/phone-sync.ts',
  'src/channels/marks.ts',
  'src/channels/media.ts',
  'src/channels/settings.ts',
  'src/channels/thread.ts',
  'src/channels/values.ts',
];
/** The list of channels, and what child processes do with the channel that a request names. */
const REGISTRY = ['src/channels/registry.ts', 'src/channels/translation.ts'];
/** A folder of the port: templates are the same on all networks that have them. */
const PORT_FOLDER = 'src/channels/templates/';

function findPlace(path: string): FilePlace {
  const [top, area, name, ...rest] = path.split('/');
  if (top !== 'src') return { kind: 'outside' };
  const file = posix.basename(path);
  if (area === 'platform' || area === 'ai' || area === 'boot') return { kind: area };
  if (area === 'doors') return { kind: 'door' };
  if (path.startsWith(PORT_FOLDER)) return { kind: 'port' };
  if (area === 'channels' && rest.length > 0) return { kind: 'channel', folder: name ?? '' };
  if (PORT.includes(path)) return { kind: 'port' };
  if (REGISTRY.includes(path)) return { kind: 'registry' };
  const room = ROOMS.find((listed) => listed === name);
  if (area === 'features' && room && rest.length > 0) return { kind: 'room', room, role: findRole(file) };
  if (path === 'src/file-reader.ts' || path === 'src/mail-caller.ts') return { kind: 'reader' };
  for (const kind of ['main', 'api', 'worker', 'config', 'kit'] as const)
    if (path === `src/${kind}.ts`) return { kind };
  return { kind: 'unknown' };
}

function findRole(file: string): FileRole {
  if (/^ingest-(?:.+-)?queries\.ts$/.test(file)) return 'ingest queries';
  if (file === 'queries.ts' || file.endsWith('-queries.ts')) return 'queries';
  if (file.endsWith('-sql.ts')) return 'sql';
  const role = (['schemas', 'events', 'jobs', 'routes'] as const).find((known) => file === `${known}.ts`);
  return role ?? 'operation';
}

/** Returns null when the import is allowed, else the law that it breaks. */
function findBrokenLaw(from: FilePlace, to: FilePlace, { typeOnly }: ImportFact): string | null {
  // A file outside the known folders is reported once, and not for each of its imports.
  if (from.kind === 'unknown' || to.kind === 'unknown') return null;
  if (from.kind === 'outside') return to.kind === 'outside' ? null : 'sandbox and web stand alone, without src/';
  if (to.kind === 'outside') return 'src/ stands alone, without sandbox, test, web, scripts and bench';
  // Settings are passed on as values; a receiver may import their type.
  if (to.kind === 'config' && typeOnly && from.kind !== 'channel') return null;
  if (from.kind === 'room') return findBrokenRoomLaw(from, to, typeOnly);
  const law = LAWS[from.kind];
  if (from.kind === 'channel' && to.kind === 'channel') return from.folder === to.folder ? null : law.sentence;
  const target = to.kind === 'room' ? to.role : to.kind;
  return law.others.some((allowed) => allowed === target) ? null : law.sentence;
}

function findBrokenRoomLaw(from: { room: string; role: FileRole }, to: FilePlace, typeOnly: boolean): string | null {
  const law = ROOM_LAWS[from.role];
  if (to.kind !== 'room') {
    const allowed = typeOnly ? [...law.others, ...law.otherTypes] : law.others;
    return allowed.some((kind) => kind === to.kind) ? null : law.sentence;
  }
  if (to.room === from.room) return law.own.includes(to.role) ? null : law.sentence;
  const order: readonly string[] = ROOMS;
  if (order.indexOf(to.room) > order.indexOf(from.room)) return `${to.room} is listed after ${from.room}`;
  const allowed = typeOnly ? [...law.earlier, ...law.earlierTypes] : law.earlier;
  return allowed.includes(to.role) ? null : law.sentence;
}
