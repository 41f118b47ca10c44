/**
 * Compiles validators and serialisers of the routes when they are first needed. Many routes share a few schemas, and compiling all of
 * them at the start took a third of its time.
 */
import ajvCompiler, { type Ajv } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { definedSchemas, RECORDS_KEYWORD } from '../values/schema.ts';
import { parseWebAddress } from '../values/web-address.ts';
import type { ValidationFailure } from './validation.ts';

type CompilerOptions = Parameters<ReturnType<typeof ajvCompiler>>[1];
type Serializer = (value: unknown) => string;

interface Validator {
  (value: unknown): unknown;
  errors?: unknown;
}

interface RoutePart {
  schema: unknown;
  httpPart?: string;
}

export function compileWhenNeeded(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileSerializer as never);
}

/** Validates values outside of a route in the same way as a body: nothing is converted, and every failure is found. */
export interface SchemaChecker {
  /** Returns the failures of a value; an empty list when the value is valid. */
  findFailures(value: unknown): ValidationFailure[];
}

export function createChecker(schema: TSchema): SchemaChecker {
  const validate = compileValidator({ schema, httpPart: 'body' });
  return { findFailures: (value) => (validate(value) ? [] : ((validate.errors ?? []) as ValidationFailure[])) };
}

/**
 * Returns all schemas made with define(). The list is complete only after every file has been loaded, so it is read at the first request.
 */
const namedSchemas = (): Map<string, unknown> =>
  new Map(definedSchemas().map((schema) => [(schema as { $id: string }).$id, schema]));

/** The format of Ajv takes addresses with which nothing can be opened, such as https://256.256.256.256. */
function onCreate(ajv: Ajv): void {
  const { uri } = ajv.formats;
  if (typeof uri !== 'function') throw new Error('the format uri is no function');
  ajv.addFormat('uri', (text: string) => uri(text) && parseWebAddress(text) !== null);
}

/** Creates a compiler of validators. Unknown properties are never removed. */
function createValidatorCompiler(coerceTypes: boolean): (route: RoutePart) => Validator {
  const customOptions = {
    coerceTypes,
    removeAdditional: false,
    useDefaults: coerceTypes,
    // In a query 1e400 is converted to Infinity. With strict numbers Infinity would not count as a number, and the maximum would not be
    // checked.
    strictNumbers: !coerceTypes,
    allErrors: true,
    // With the value and the schema of each failure, so that a message can name what was probably meant.
    verbose: true,
    allowUnionTypes: true,
    keywords: [RECORDS_KEYWORD],
  };
  const compiler = callOnce(() =>
    ajvCompiler()(Object.fromEntries(namedSchemas()) as never, { customOptions, onCreate } as CompilerOptions),
  );
  return memoizeBySchema((route) => compiler()(route as never) as Validator);
}

// The whole process shares these two compilers, because each of them reads all named schemas, which takes some 30 ms.
const compileForBody = createValidatorCompiler(false);
// Values in a path or query are text and are converted to their type; bodies are not.
const compileForText = createValidatorCompiler(true);

function compileValidator(route: RoutePart): Validator {
  const find = callOnce(() => (route.httpPart === 'body' ? compileForBody : compileForText)(route));
  const validate: Validator = (value) => {
    const validator = find();
    const result = validator(value);
    // Fastify reads the errors from this property of the function.
    validate.errors = validator.errors;
    return result;
  };
  return validate;
}

// The compiler checks all schemas that it is given, so it is given only those that the route needs: with all of them it takes 20 ms
// instead of 1 ms.
const findOrBuildSerializer = memoizeBySchema(
  (route) => SerializerSelector()(findReferenced(route.schema) as never, {})(route as never) as Serializer,
);

function compileSerializer(route: RoutePart): Serializer {
  const find = callOnce(() => findOrBuildSerializer(route));
  return (value) => find()(value);
}

/** Returns the named schemas to which this schema refers, directly or through others. */
function findReferenced(schema: unknown): Record<string, unknown> {
  const named = namedSchemas();
  const found = new Map<string, unknown>();
  const search = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"\$ref":"([^"#]+)/g)) {
      const target = named.get(name);
      if (target === undefined || found.has(name)) continue;
      found.set(name, target);
      search(target);
    }
  };
  search(schema);
  return Object.fromEntries(found);
}

/** Compiles each schema once and shares the function among all routes that declare the same schema. */
function memoizeBySchema<T>(compile: (route: RoutePart) => T): (route: RoutePart) => T {
  const known = new Map<string, T>();
  return (route) => {
    const key = JSON.stringify(route.schema);
    const found = known.get(key) ?? compile(route);
    known.set(key, found);
    return found;
  };
}

function callOnce<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
