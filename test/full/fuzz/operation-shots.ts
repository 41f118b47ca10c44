/** Requests for documented operations: some fit the document, most are wrong in one place. */
import { MAX_DEPTH } from '../../../src/platform/http/body.ts';
import type { Chance } from '../harness/chance.ts';
import { HOSTILE_BODIES } from './bodies.ts';
import type { Operation, Parameter, Schema } from './document.ts';
import {
  generateAnything,
  generateValue,
  listIdKinds,
  isStorableText,
  formatPath,
  findPlaces,
  replaceAt,
} from './generate.ts';
import { buildForm, type Parts } from './forms.ts';
import { TEXT_FIELD } from './scene-records.ts';
import type { Caller, Scene } from './scene.ts';
import type { FuzzRequest } from './shot.ts';
import { NAUGHTY } from './strings.ts';
import { findMisfits } from './validate.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
// More characters than any path may have, and fewer than all headers together may have.
const MAX_IN_PATH = 2_000;

export interface RequestContext {
  scene: Scene;
  operations: Operation[];
  chance: Chance;
  /** The number of requests of this kind so far. Kinds that go through a list use it to cover the whole list. */
  turn: number;
}

/** Percent-encodes byte by byte, because `encodeURIComponent` throws at half of a surrogate pair. */
export function percentEncode(text: string): string {
  const signs = Array.from(Buffer.from(text).subarray(0, MAX_IN_PATH), (byte) => String.fromCharCode(byte));
  return signs.map((sign) => (/[\w~-]/.test(sign) ? sign : `%${Buffer.from(sign, 'latin1').toString('hex')}`)).join('');
}

interface RequestParts {
  idea: string;
  caller?: Caller;
  id?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: Buffer | null;
}

export function buildOperationRequest(
  { scene, chance }: RequestContext,
  operation: Operation,
  aimed: RequestParts,
): FuzzRequest {
  const { idea, caller = chance.pick(scene.callers), query = '', headers = {}, body = null } = aimed;
  return {
    idea,
    method: operation.method,
    path:
      fillPath(
        operation,
        (kinds, inner) =>
          aimed.id ?? chooseRecordId(scene, caller, { kinds, inner, isSpent: mayDisableRecord(operation) }, chance),
      ) + (query ? `?${query}` : ''),
    headers: { ...caller.headers, ...(body ? JSON_TYPE : {}), ...headers },
    body,
    operation,
  };
}

/** Fills in each id of the path. The last id is chosen first, because it may determine the others. */
function fillPath(
  { path, parameters }: Operation,
  chooseId: (kinds: string[], inner: string | null) => string,
): string {
  let inner: string | null = null;
  const ids = new Map<string, string>();
  for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'path').toReversed())
    ids.set(name, (inner = chooseId(listIdKinds(schema), inner)));
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids.get(name) ?? '');
}

/** Returns true for operations that delete the record of their path, or change it so that other requests fail. */
const mayDisableRecord = ({ method, path }: Operation): boolean =>
  method === 'DELETE' || (method === 'PATCH' && path === '/v1/tables/{id}');

interface WantedId {
  kinds: string[];
  /** The id that follows in the path, of a record inside this one. */
  inner: string | null;
  isSpent: boolean;
}

function chooseRecordId(scene: Scene, caller: Caller, { kinds, inner, isSpent }: WantedId, chance: Chance): string {
  const { ids, foreignIds, parents, kept } = scene;
  const parent = inner === null ? undefined : parents.get(inner);
  if (parent !== undefined && chance.int(4) > 0) return parent;
  const known = kinds.flatMap((kind) => caller.ids?.get(kind) ?? ids.get(kind) ?? []);
  const [own, spare] = [known.filter((id) => kept.has(id)), known.filter((id) => !kept.has(id))];
  // Values in bodies refer to records that are never deleted, so those records are chosen often.
  const living = !isSpent && own.length > 0 && chance.int(2) === 0 ? own : spare;
  return living.length > 0 ? chance.pick(living) : chance.pick(foreignIds);
}

const toJsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');
/** Returns whether the operation admits this caller. Callers with ids of their own belong to a company; the others are global keys. */
const isAdmittedCaller = ({ full, ids }: Caller, { globalOnly }: Operation): boolean => full && !(globalOnly && ids);
export const pickAdmittedCaller = ({ scene, chance }: RequestContext, operation: Operation): Caller =>
  chance.pick(scene.callers.filter((caller) => isAdmittedCaller(caller, operation)));

export function buildValidRequest(gun: RequestContext): FuzzRequest {
  const { chance, operations } = gun;
  const operation = chance.pick(operations);
  const sent = generateBody(gun, operation);
  // Only a few different keys are used, so that keys repeat, with the same body and with others.
  const key = operation.repeatable && chance.int(3) === 0 ? { 'idempotency-key': `key-${chance.int(10)}` } : {};
  const headers = { ...sent.headers, ...key };
  const shot = buildOperationRequest(gun, operation, {
    idea: 'fits',
    body: sent.body,
    headers,
    query: generateQuery(gun, operation).join('&'),
  });
  const isHead = operation.method === 'GET' && chance.int(20) === 0;
  return isHead ? { ...shot, method: 'HEAD' } : shot;
}

interface BuiltBody {
  body: Buffer | null;
  headers: Record<string, string>;
}

/** Generates a JSON body or a form that fits the operation; empty for an operation without a body. */
export function generateBody({ chance, scene }: RequestContext, { body, form }: Operation): BuiltBody {
  if (form) return buildForm(generateValue(form, chance, scene.hint) as Parts);
  return { body: body ? toJsonBytes(generateValue(body, chance, scene.hint)) : null, headers: {} };
}

/** Builds a request whose body fits except for one place, which is removed, replaced, or extended by an unknown property. */
export function buildBrokenBodyRequest(gun: RequestContext): FuzzRequest {
  const { chance, scene } = gun;
  const operation = chance.pick(gun.operations.filter(({ body }) => body));
  const whole = generateValue(operation.body ?? {}, chance, scene.hint);
  const { keys } = chance.pick([{ keys: [] }, ...findPlaces(whole)]);
  const added = [
    ...keys.slice(0, -1),
    chance.pick(['surprise', '_id', 'company', 'coexistence_enabled', 'constructor']),
  ];
  const kind = chance.int(8);
  if (kind === 0)
    return buildChangedBodyRequest(gun, {
      operation,
      value: replaceAt(whole, added, generateAnything(chance)),
      keys: added,
    });
  const replacement = kind === 1 && keys.length > 0 ? undefined : generateAnything(chance);
  return buildChangedBodyRequest(gun, { operation, value: replaceAt(whole, keys, replacement), keys });
}

interface TextField {
  operation: Operation;
  /** The place of the text in the body, or the name of a parameter. */
  keys: (string | number)[];
  parameter: Parameter | null;
}

/** Lists every place of every operation that takes a text, including all parameters, because these are sent as text. */
export function findTextFields(operations: Operation[]): TextField[] {
  return operations.flatMap((operation) => [
    ...operation.parameters
      .filter((parameter) => parameter.in !== 'header')
      .map((parameter) => ({ operation, keys: [parameter.name], parameter })),
    ...findTextKeys(operation.body ?? operation.form ?? {}).map((keys) => ({ operation, keys, parameter: null })),
  ]);
}

/** For each map that checks its values by their key: a key under which a text is valid. */
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

/** Builds a request with one of the hostile texts in one of the text fields; all combinations come in turn. */
export function buildHostileTextRequest(gun: RequestContext, fields: TextField[]): FuzzRequest {
  const { operation, keys, parameter } = fields[gun.turn % fields.length] as TextField;
  const text = NAUGHTY[(Math.floor(gun.turn / fields.length) + gun.turn) % NAUGHTY.length] as string;
  const [name = ''] = keys;
  if (parameter?.in === 'path')
    return buildOperationRequest(gun, operation, { idea: 'naughty id', id: percentEncode(text) });
  if (parameter) {
    // All other parameters are valid, so a refusal must be due to this text.
    const query = [...generateQuery(gun, operation, String(name)), `${name}=${percentEncode(text)}`];
    return buildOperationRequest(gun, operation, { idea: 'naughty query', query: query.join('&') });
  }
  const whole = fillEveryProperty(operation.body ?? operation.form ?? {}, gun, { keys });
  if (operation.form)
    return buildOperationRequest(gun, operation, {
      idea: 'naughty part',
      ...buildForm(replaceAt(whole, keys, text) as Parts),
    });
  return {
    ...buildChangedBodyRequest(gun, { operation, value: replaceAt(whole, keys, text), keys }),
    idea: 'naughty field',
  };
}

interface Reach {
  /** The name of the field that the value is for. */
  field?: string;
  /** The place inside the value that has to exist: it decides where a value may be an object or a list. */
  keys: (string | number)[];
}

/** Generates a valid body with every optional property, so that every place exists. */
function fillEveryProperty(schema: Schema, gun: RequestContext, { field = '', keys }: Reach): unknown {
  const [key, ...rest] = keys;
  if (schema.properties && typeof key !== 'number') {
    const entries = Object.entries(schema.properties).map(([name, inner]) => [
      name,
      fillProperty(inner, gun, { field: name, keys: name === key ? rest : [] }),
    ]);
    return Object.fromEntries(entries) as unknown;
  }
  if (schema.items) return [fillEveryProperty(schema.items, gun, { keys: rest })];
  const { additionalProperties: others } = schema;
  // A plain letter is used where one is valid, because some limits on such values are not in the schema.
  if (typeof others === 'object')
    return {
      [chooseKey(field)]:
        findMisfits(others, 'a').length === 0 ? 'a' : generateValue(others, gun.chance, gun.scene.hint),
    };
  return generateValue(schema, gun.chance, gun.scene.hint);
}

function fillProperty(schema: Schema, gun: RequestContext, reach: Required<Reach>): unknown {
  if (schema.properties) return fillEveryProperty(schema, gun, reach);
  const hinted = gun.scene.hint(reach.field, gun.chance, listIdKinds(schema));
  if (typeof hinted === 'string' && !schema.items && findMisfits(schema, hinted).length > 0)
    return fillEveryProperty(schema, gun, reach);
  // A suggestion is a text or a number, so it has no places inside and is no object of a list; a list has its places in an item.
  if (hinted === null || reach.keys.length > 1 || schema.items?.properties)
    return fillEveryProperty(schema, gun, reach);
  return schema.items ? [hinted] : hinted;
}

interface ChangedBody {
  operation: Operation;
  value: unknown;
  keys: (string | number)[];
}

/** Builds a request with a changed body. The schema determines which status is expected. */
function buildChangedBodyRequest(gun: RequestContext, { operation, value, keys }: ChangedBody): FuzzRequest {
  const caller = gun.chance.int(5) > 0 ? pickAdmittedCaller(gun, operation) : gun.chance.pick(gun.scene.callers);
  const shot = buildOperationRequest(gun, operation, { idea: 'broken body', caller, body: toJsonBytes(value) });
  if (!isAdmittedCaller(caller, operation)) return shot;
  // The value as it arrives at the platform: JSON has no NaN and no Infinity, so these become null.
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
  if (typeof value === 'string') return !isStorableText(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.entries(value).some(
    ([key, inner]) => key === '__proto__' || !isStorableText(key) || isRefusedOutright(inner, depth + 1),
  );
}

/**
 * Builds a request with a hostile body. All bodies and all operations with a body come in turn; both change with each request, so that a
 * short run covers all bodies.
 */
export function buildHostileBodyRequest(gun: RequestContext): FuzzRequest {
  const takers = gun.operations.filter(({ body }) => body);
  const body = gun.turn % HOSTILE_BODIES.length;
  const operation = takers[(body + Math.floor(gun.turn / HOSTILE_BODIES.length)) % takers.length] as Operation;
  const hostile = HOSTILE_BODIES[body];
  const shot = buildOperationRequest(gun, operation, {
    idea: `hostile body: ${hostile?.name}`,
    caller: pickAdmittedCaller(gun, operation),
    body: hostile?.raw ?? null,
  });
  return { ...shot, statuses: [400], codes: hostile?.code ? [hostile.code] : ['MALFORMED_BODY', 'VALIDATION_FAILED'] };
}

function generateQuery({ chance, scene }: RequestContext, operation: Operation, without = ''): string[] {
  return operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.name !== without && chance.int(3) === 0)
    .map(({ name, schema }) => `${name}=${percentEncode(String(generateValue(schema, chance, scene.hint, name)))}`);
}

/** Builds a request in which one query parameter is certainly wrong. */
export function buildBrokenQueryRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation = chance.pick(gun.operations);
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  const broken = known.flatMap(({ name, schema }) => [
    ...listWrongTexts(schema).map((text) => [name, `${name}=${percentEncode(text)}`] as const),
    [name, `${name}=1&${name}=2`] as const,
  ]);
  const unknown = ['surprise', 'Page', 'limit[]', 'constructor', '__proto__', 'hasOwnProperty', 'page.x'].map(
    (name) => [name, `${percentEncode(name)}=1`] as const,
  );
  const [name, text] = chance.pick(chance.int(4) === 0 || broken.length === 0 ? unknown : broken);
  const caller = pickAdmittedCaller(gun, operation);
  // The body and all other parameters are valid, so the answer must name this parameter.
  const shot = buildOperationRequest(gun, operation, {
    idea: 'broken query',
    caller,
    query: text,
    ...generateBody(gun, operation),
  });
  return {
    ...shot,
    statuses: [400],
    codes: ['VALIDATION_FAILED', 'MALFORMED_BODY'],
    ...(operation.body || operation.form ? {} : { names: name }),
  };
}

/** Lists texts that cannot be converted to the parameter's type. */
function listWrongTexts(schema: Schema): string[] {
  const [type] = [schema.type ?? []].flat();
  if (schema.enum)
    return [
      'nope',
      '',
      `${String(schema.enum[0])} `,
      String(schema.enum[0]).toLowerCase() + String.fromCodePoint(0x200b),
    ];
  if (type === 'boolean') return ['yes', '2', 'TRUE', 'tru', ' true', ''];
  if (type === 'string') {
    const { maxLength = Infinity } = schema;
    // A longer text would be cut to one that fits.
    return maxLength < MAX_IN_PATH ? ['a'.repeat(maxLength + 1)] : [];
  }
  if (type !== 'integer') return [];
  const ends = [
    schema.minimum === undefined ? [] : [schema.minimum - 1],
    schema.maximum === undefined ? [] : [schema.maximum + 1],
  ];
  return [...ends.flat().map(String), 'abc', '1.5', '', 'NaN', '1e400', '\u0661', '1,0', '--1', 'null', '[1]', '{}'];
}
