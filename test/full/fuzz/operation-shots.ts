/** Requests for documented operations: some fit the document, most are wrong in one place. */
import { MAX_DEPTH } from '../../../src/platform/body.ts';
import type { Chance } from '../harness/chance.ts';
import { HOSTILE_BODIES } from './bodies.ts';
import type { Operation, Parameter, Schema } from './document.ts';
import { anything, fitting, idKinds, isSayable, formatPath, findPlaces, replaced } from './generate.ts';
import { buildForm, type Parts } from './forms.ts';
import { TEXT_FIELD } from './scene-records.ts';
import type { Caller, Scene } from './scene.ts';
import type { Shot } from './shot.ts';
import { NAUGHTY } from './strings.ts';
import { findMisfits } from './validate.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
// More characters than any path may have, and fewer than all headers together may have.
const MAX_IN_PATH = 2_000;

export interface Gun {
  scene: Scene;
  operations: Operation[];
  chance: Chance;
  /** Counts the requests, so that requests which go through a list in turn cover all of it. */
  turn: number;
}

/** Percent-encodes byte by byte, because `encodeURIComponent` throws at half of a surrogate pair. */
export function encoded(text: string): string {
  const signs = Array.from(Buffer.from(text).subarray(0, MAX_IN_PATH), (byte) => String.fromCharCode(byte));
  return signs.map((sign) => (/[\w~-]/.test(sign) ? sign : `%${Buffer.from(sign, 'latin1').toString('hex')}`)).join('');
}

interface Aimed {
  idea: string;
  caller?: Caller;
  id?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: Buffer | null;
}

export function aim({ scene, chance }: Gun, operation: Operation, aimed: Aimed): Shot {
  const { idea, caller = chance.pick(scene.callers), query = '', headers = {}, body = null } = aimed;
  return {
    idea,
    method: operation.method,
    path:
      pathTo(
        operation,
        (kinds, inner) => aimed.id ?? livingId(scene, caller, { kinds, inner, isSpent: mayEnd(operation) }, chance),
      ) + (query ? `?${query}` : ''),
    headers: { ...caller.headers, ...(body ? JSON_TYPE : {}), ...headers },
    body,
    operation,
  };
}

/** Fills in each id of the path. The last one is chosen first, because it may determine the others. */
function pathTo({ path, parameters }: Operation, chooseId: (kinds: string[], inner: string | null) => string): string {
  let inner: string | null = null;
  const ids = new Map<string, string>();
  for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'path').toReversed())
    ids.set(name, (inner = chooseId(idKinds(schema), inner)));
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids.get(name) ?? '');
}

/** True for operations that delete the record of their path, or change it so that other requests fail. */
const mayEnd = ({ method, path }: Operation): boolean =>
  method === 'DELETE' || (method === 'PATCH' && path === '/v1/tables/{id}');

interface Wanted {
  kinds: string[];
  /** The record that the path names after this one. */
  inner: string | null;
  isSpent: boolean;
}

function livingId(scene: Scene, caller: Caller, { kinds, inner, isSpent }: Wanted, chance: Chance): string {
  const { ids, foreignIds, parents, kept } = scene;
  const parent = inner === null ? undefined : parents.get(inner);
  if (parent !== undefined && chance.int(4) > 0) return parent;
  const known = kinds.flatMap((kind) => caller.ids?.get(kind) ?? ids.get(kind) ?? []);
  const [own, spare] = [known.filter((id) => kept.has(id)), known.filter((id) => !kept.has(id))];
  // Values in bodies fit the records that are kept, so these are chosen often.
  const living = !isSpent && own.length > 0 && chance.int(2) === 0 ? own : spare;
  return living.length > 0 ? chance.pick(living) : chance.pick(foreignIds);
}

const asJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');
/** Whether this caller is admitted. Callers with ids of their own belong to a company, and others are global keys. */
const isFull = ({ full, ids }: Caller, { globalOnly }: Operation): boolean => full && !(globalOnly && ids);
export const fullCaller = ({ scene, chance }: Gun, operation: Operation): Caller =>
  chance.pick(scene.callers.filter((caller) => isFull(caller, operation)));

export function fitShot(gun: Gun): Shot {
  const { chance, operations } = gun;
  const operation = chance.pick(operations);
  const sent = fittingBody(gun, operation);
  // Only few different keys are used, so that each is repeated, with the same body and with others.
  const key = operation.repeatable && chance.int(3) === 0 ? { 'idempotency-key': `key-${chance.int(50)}` } : {};
  const headers = { ...sent.headers, ...key };
  const shot = aim(gun, operation, {
    idea: 'fits',
    body: sent.body,
    headers,
    query: fittingQuery(gun, operation).join('&'),
  });
  const isHead = operation.method === 'GET' && chance.int(20) === 0;
  return isHead ? { ...shot, method: 'HEAD' } : shot;
}

interface Sent {
  body: Buffer | null;
  headers: Record<string, string>;
}

/** A JSON body or form that fits the operation; empty for an operation without a body. */
export function fittingBody({ chance, scene }: Gun, { body, form }: Operation): Sent {
  if (form) return buildForm(fitting(form, chance, scene.hint) as Parts);
  return { body: body ? asJson(fitting(body, chance, scene.hint)) : null, headers: {} };
}

/** A fitting body in which one place is removed, replaced, or extended by an unknown property. */
export function brokenShot(gun: Gun): Shot {
  const { chance, scene } = gun;
  const operation = chance.pick(gun.operations.filter(({ body }) => body));
  const whole = fitting(operation.body ?? {}, chance, scene.hint);
  const { keys } = chance.pick([{ keys: [] }, ...findPlaces(whole)]);
  const added = [
    ...keys.slice(0, -1),
    chance.pick(['surprise', '_id', 'company', 'coexistence_enabled', 'constructor']),
  ];
  const kind = chance.int(8);
  if (kind === 0) return bodyShot(gun, { operation, value: replaced(whole, added, anything(chance)), keys: added });
  const replacement = kind === 1 && keys.length > 0 ? undefined : anything(chance);
  return bodyShot(gun, { operation, value: replaced(whole, keys, replacement), keys });
}

interface TextField {
  operation: Operation;
  /** The place of the text in the body, or the name of a parameter. */
  keys: (string | number)[];
  parameter: Parameter | null;
}

/** Every place of every operation that takes a text, including all parameters, which are sent as text. */
export function findTextFields(operations: Operation[]): TextField[] {
  return operations.flatMap((operation) => [
    ...operation.parameters
      .filter((parameter) => parameter.in !== 'header')
      .map((parameter) => ({ operation, keys: [parameter.name], parameter })),
    ...findTextKeys(operation.body ?? operation.form ?? {}).map((keys) => ({ operation, keys, parameter: null })),
  ]);
}

/** Keys of maps under which a text is a valid value. */
const TEXT_KEYS: Record<string, string> = { custom_fields: TEXT_FIELD, data: TEXT_FIELD, mapping: 'name' };
const chooseKey = (map: string | number | undefined): string => TEXT_KEYS[String(map)] ?? 'x-extra-0';

function findTextKeys(schema: Schema, keys: (string | number)[] = []): (string | number)[][] {
  const here = [schema.type ?? []].flat().includes('string') ? [keys] : [];
  const inside = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => findTextKeys(inner, [...keys, key]));
  const items = schema.items ? findTextKeys(schema.items, [...keys, 0]) : [];
  const others = schema.additionalProperties;
  const extra = typeof others === 'object' ? findTextKeys(others, [...keys, chooseKey(keys.at(-1))]) : [];
  return [...here, ...inside, ...items, ...extra];
}

/** Sends each hostile text in each field, in turn. */
export function naughtyShot(gun: Gun, fields: TextField[]): Shot {
  const { operation, keys, parameter } = fields[gun.turn % fields.length] as TextField;
  const text = NAUGHTY[(Math.floor(gun.turn / fields.length) + gun.turn) % NAUGHTY.length] as string;
  const [name = ''] = keys;
  if (parameter?.in === 'path') return aim(gun, operation, { idea: 'naughty id', id: encoded(text) });
  if (parameter) {
    // The text fits the limits of a query, so a refusal must come from the text itself.
    const query = [...fittingQuery(gun, operation, String(name)), `${name}=${encoded(text)}`];
    return aim(gun, operation, { idea: 'naughty query', query: query.join('&') });
  }
  const whole = everything(operation.body ?? operation.form ?? {}, gun);
  if (operation.form)
    return aim(gun, operation, { idea: 'naughty part', ...buildForm(replaced(whole, keys, text) as Parts) });
  return { ...bodyShot(gun, { operation, value: replaced(whole, keys, text), keys }), idea: 'naughty field' };
}

/** A fitting body with every optional property, so that each place exists. */
function everything(schema: Schema, gun: Gun, field = ''): unknown {
  if (schema.properties) {
    const entries = Object.entries(schema.properties).map(([key, inner]) => [key, fillProperty(key, inner, gun)]);
    return Object.fromEntries(entries) as unknown;
  }
  if (schema.items) return [everything(schema.items, gun)];
  const { additionalProperties: others } = schema;
  // A plain letter where one is valid, because some limits of the values are not in the schema.
  if (typeof others === 'object')
    return {
      [chooseKey(field)]: findMisfits(others, 'a').length === 0 ? 'a' : fitting(others, gun.chance, gun.scene.hint),
    };
  return fitting(schema, gun.chance, gun.scene.hint);
}

function fillProperty(key: string, schema: Schema, gun: Gun): unknown {
  if (schema.properties) return everything(schema, gun);
  const hinted = gun.scene.hint(key, gun.chance, idKinds(schema));
  if (hinted === null) return everything(schema, gun, key);
  return schema.items ? [hinted] : hinted;
}

interface Broken {
  operation: Operation;
  value: unknown;
  keys: (string | number)[];
}

/** A request with a changed body; the schema determines the expected status. */
function bodyShot(gun: Gun, { operation, value, keys }: Broken): Shot {
  const caller = gun.chance.int(5) > 0 ? fullCaller(gun, operation) : gun.chance.pick(gun.scene.callers);
  const shot = aim(gun, operation, { idea: 'broken body', caller, body: asJson(value) });
  if (!isFull(caller, operation)) return shot;
  // The value as it arrives: numbers that JSON can not express become null.
  const arriving = JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
  if (isRefusedOutright(arriving)) return { ...shot, statuses: [400], codes: ['MALFORMED_BODY'] };
  if (findMisfits(operation.body ?? {}, arriving, { anyTime: true }).length === 0) return shot;
  return {
    ...shot,
    statuses: [400],
    codes: ['VALIDATION_FAILED'],
    ...(keys.length > 0 ? { names: formatPath(keys) } : {}),
  };
}

function isRefusedOutright(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !isSayable(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.entries(value).some(
    ([key, inner]) => key === '__proto__' || !isSayable(key) || isRefusedOutright(inner, depth + 1),
  );
}

/**
 * Sends each hostile body to each operation that takes one, in turn; both change with each request, so that a short run covers all bodies.
 */
export function hostileShot(gun: Gun): Shot {
  const takers = gun.operations.filter(({ body }) => body);
  const body = gun.turn % HOSTILE_BODIES.length;
  const operation = takers[(body + Math.floor(gun.turn / HOSTILE_BODIES.length)) % takers.length] as Operation;
  const hostile = HOSTILE_BODIES[body];
  const shot = aim(gun, operation, {
    idea: `hostile body: ${hostile?.name}`,
    caller: fullCaller(gun, operation),
    body: hostile?.raw ?? null,
  });
  return { ...shot, statuses: [400], codes: hostile?.code ? [hostile.code] : ['MALFORMED_BODY', 'VALIDATION_FAILED'] };
}

function fittingQuery({ chance, scene }: Gun, operation: Operation, without = ''): string[] {
  return operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.name !== without && chance.int(3) === 0)
    .map(({ name, schema }) => `${name}=${encoded(String(fitting(schema, chance, scene.hint, name)))}`);
}

/** A request with one parameter of the query that is certainly wrong. */
export function queryShot(gun: Gun): Shot {
  const { chance } = gun;
  const operation = chance.pick(gun.operations);
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  const broken = known.flatMap(({ name, schema }) => [
    ...wrongTexts(schema).map((text) => [name, `${name}=${encoded(text)}`] as const),
    [name, `${name}=1&${name}=2`] as const,
  ]);
  const unknown = ['surprise', 'Page', 'limit[]', 'constructor', '__proto__', 'hasOwnProperty', 'page.x'].map(
    (name) => [name, `${encoded(name)}=1`] as const,
  );
  const [name, text] = chance.pick(chance.int(4) === 0 || broken.length === 0 ? unknown : broken);
  const caller = fullCaller(gun, operation);
  // Only one parameter is wrong, and the body fits, so that the answer must name this parameter.
  const shot = aim(gun, operation, { idea: 'broken query', caller, query: text, ...fittingBody(gun, operation) });
  return {
    ...shot,
    statuses: [400],
    codes: ['VALIDATION_FAILED', 'MALFORMED_BODY'],
    ...(operation.body || operation.form ? {} : { names: name }),
  };
}

/** Texts that can not be converted to the parameter's type. */
function wrongTexts(schema: Schema): string[] {
  const [type] = [schema.type ?? []].flat();
  if (schema.enum)
    return [
      'nope',
      '',
      `${String(schema.enum[0])} `,
      String(schema.enum[0]).toLowerCase() + String.fromCodePoint(0x200b),
    ];
  if (type === 'boolean') return ['yes', '2', 'TRUE', 'tru', ' true', ''];
  if (type === 'string') return schema.maxLength === undefined ? [] : ['a'.repeat(schema.maxLength + 1)];
  if (type !== 'integer') return [];
  const ends = [
    schema.minimum === undefined ? [] : [schema.minimum - 1],
    schema.maximum === undefined ? [] : [schema.maximum + 1],
  ];
  return [...ends.flat().map(String), 'abc', '1.5', '', 'NaN', '1e400', '\u0661', '1,0', '--1', 'null', '[1]', '{}'];
}
