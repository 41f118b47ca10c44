/**
 * Validators and serialisers of the routes. Each is compiled when it is first needed: most of what is declared is one of few
 * schemas under another route and status, and compiling all of it took a third of a start.
 */
import ajvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { definedSchemas } from './schema.ts';
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

/** Judges values by a schema outside a route, as a body is judged: nothing is converted, every failure is found. */
export interface Checker {
  /** None when the value fits. */
  findFailures(value: unknown): Failure[];
}

export function createChecker(schema: TSchema): Checker {
  const validate = createValidators()({ schema, httpPart: 'body' });
  return { findFailures: (value) => (validate(value) ? [] : ((validate.errors ?? []) as Failure[])) };
}

/** The named schemas; they are complete only when the first request is answered. */
const namedSchemas = (): Record<string, unknown> =>
  Object.fromEntries(definedSchemas().map((schema) => [(schema as { $id: string }).$id, schema]));

/** Bodies are taken as they are; path and query are text on the wire, so they are converted. Nothing is ever dropped. */
function createValidators() {
  const build = ajvCompiler();
  const compilerOf = (coerceTypes: boolean) => {
    const customOptions = {
      coerceTypes,
      removeAdditional: false,
      useDefaults: coerceTypes,
      // 1e400 is converted to Infinity; a strict compiler takes that for no number and never compares it with the maximum.
      strictNumbers: !coerceTypes,
      allErrors: true,
      allowUnionTypes: true,
    };
    const compiler = once(() => build(namedSchemas() as never, { customOptions } as CompilerOptions));
    return memoized((route: Part) => compiler()(route as never) as Validator);
  };
  const body = compilerOf(false);
  const text = compilerOf(true);
  return (route: Part): Validator => {
    const find = once(() => (route.httpPart === 'body' ? body : text)(route));
    const validate: Validator = (value) => {
      const validator = find();
      const result = validator(value);
      // Fastify reads them from the function that it was given.
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

/** One function for all routes that declare the same schema. */
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
