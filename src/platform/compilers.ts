/**
 * Compiles validators and serialisers of the routes when they are first needed. Many routes share a few schemas, and compiling all of
 * them at the start took a third of its time.
 */
import ajvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { definedSchemas, RECORDS_KEYWORD } from './schema.ts';
import type { Failure } from './validation.ts';

type CompilerOptions = Parameters<ReturnType<typeof ajvCompiler>>[1];
type Serializer = (value: unknown) => string;

interface Validator {
  (value: unknown): unknown;
  errors?: unknown;
}

interface Part {
  schema: unknown;
  httpPart?: string;
}

export function compileWhenNeeded(app: FastifyInstance): void {
  app.setValidatorCompiler(createValidators() as never);
  app.setSerializerCompiler(createSerializers() as never);
}

/** Validates values outside of a route in the same way as a body: nothing is converted, and every failure is found. */
export interface Checker {
  /** Returns the failures of a value; an empty list when the value is valid. */
  findFailures(value: unknown): Failure[];
}

export function createChecker(schema: TSchema): Checker {
  const validate = createValidators()({ schema, httpPart: 'body' });
  return { findFailures: (value) => (validate(value) ? [] : ((validate.errors ?? []) as Failure[])) };
}

/**
 * Returns all schemas made with define(). The list is complete only after every file has been loaded, so it is read at the first request.
 */
const namedSchemas = (): Record<string, unknown> =>
  Object.fromEntries(definedSchemas().map((schema) => [(schema as { $id: string }).$id, schema]));

/**
 * Creates the validators. Values in a path or query are text and are converted to their type; bodies are not. Unknown properties are never
 * removed.
 */
function createValidators() {
  const build = ajvCompiler();
  const createCompiler = (coerceTypes: boolean) => {
    const customOptions = {
      coerceTypes,
      removeAdditional: false,
      useDefaults: coerceTypes,
      // In a query 1e400 is converted to Infinity. With strict numbers Infinity would not count as a number, and the maximum would not be
      // checked.
      strictNumbers: !coerceTypes,
      allErrors: true,
      allowUnionTypes: true,
      keywords: [RECORDS_KEYWORD],
    };
    const compiler = once(() => build(namedSchemas() as never, { customOptions } as CompilerOptions));
    return memoized((route: Part) => compiler()(route as never) as Validator);
  };
  const body = createCompiler(false);
  const text = createCompiler(true);
  return (route: Part): Validator => {
    const find = once(() => (route.httpPart === 'body' ? body : text)(route));
    const validate: Validator = (value) => {
      const validator = find();
      const result = validator(value);
      // Fastify reads the errors from this property of the function.
      validate.errors = validator.errors;
      return result;
    };
    return validate;
  };
}

function createSerializers() {
  const build = SerializerSelector();
  const compiler = once(() => build(namedSchemas() as never, {} as never));
  const compile = memoized((route: Part) => compiler()(route as never) as Serializer);
  return (route: Part): Serializer => {
    const find = once(() => compile(route));
    return (value) => find()(value);
  };
}

/** Compiles each schema once and shares the function among all routes that declare the same schema. */
function memoized<T>(compile: (route: Part) => T): (route: Part) => T {
  const known = new Map<string, T>();
  return (route) => {
    const key = JSON.stringify(route.schema);
    const found = known.get(key) ?? compile(route);
    known.set(key, found);
    return found;
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
