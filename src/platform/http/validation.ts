/** Turns failures of a validator into messages for people, without patterns, validator keywords or endless lists. */
import { AppError, notFound, type FieldError } from '../values/errors.ts';
import { explainPattern } from '../values/schema.ts';
import { describeValues, findNearest, formatCount } from '../values/words.ts';
import { declareLimit } from '../values/limits.ts';

/** A failure as Ajv and TypeBox report it. */
export interface ValidationFailure {
  instancePath: string;
  keyword: string;
  params: object;
  /** The value that failed. */
  data?: unknown;
  /** The schema that has the keyword. */
  parentSchema?: { properties?: object };
}

// The most errors in an answer; more would hardly help a caller.
const MAX_FIELD_ERRORS = declareLimit(20, {
  topic: 'Requests',
  what: 'Errors in one response',
  beyond: 'the others are left out',
});

/** Makes the error for a part of a request. A malformed id in a path is answered like a record that does not exist. */
export function validationProblem(failures: ValidationFailure[], part: string): AppError {
  if (part === 'params') return notFound();
  const errors: FieldError[] = [];
  for (const failure of failures) {
    const path = formatPath(failure) || part;
    // An empty text, or one that breaks a pattern, often also has the wrong format; a second message about it would not help.
    if (FORMS.has(failure.keyword) && errors.some((error) => error.path === path)) continue;
    const isParameter = part === 'querystring' && failure.keyword === 'additionalProperties';
    const message = isParameter ? 'is not a parameter of this operation' : describeFailure(failure);
    errors.push({ path, code: toCode(failure.keyword), message: message + suggestName(failure) });
    if (errors.length === MAX_FIELD_ERRORS) break;
  }
  const [first] = errors;
  return new AppError('VALIDATION_FAILED', first && `${first.path} ${first.message}`, errors);
}

/** Says what the caller probably meant by a name that does not exist; an empty text when nothing is like it. */
function suggestName({ keyword, params, data, parentSchema }: ValidationFailure): string {
  const { additionalProperty, allowedValues } = params as Partial<FailureParams>;
  const [given, names] =
    keyword === 'additionalProperties'
      ? [additionalProperty, Object.keys(parentSchema?.properties ?? {})]
      : [data, allowedValues ?? []];
  const nearest =
    typeof given === 'string'
      ? findNearest(
          given,
          names.filter((name) => typeof name === 'string'),
        )
      : null;
  return nearest === null ? '' : `: did you mean ${nearest}?`;
}

const FORMS = new Set(['pattern', 'format']);

/** The rules of a schema that have a message of their own, as codes. */
export const listRuleCodes = (): string[] => [...WORDS.keys()].map(toCode);

const toCode = (keyword: string): string => keyword.replaceAll(/([A-Z])/g, '_$1').toUpperCase();

/** Formats the path of a failure, such as `a.b[0]`. */
function formatPath({ instancePath, params }: ValidationFailure): string {
  const parts = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const extra = missingProperty ?? additionalProperty;
  if (extra !== undefined) parts.push(extra);
  return parts.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : (index ? '.' : '') + part)).join('');
}

/** The parameters of the keywords below; each keyword sets some of them. */
interface FailureParams {
  limit: number;
  type: string | string[];
  allowedValues: unknown[];
  additionalProperty: string;
  pattern: string;
  format: string;
}

/** Messages by keyword. They continue a sentence that begins with the field's name. */
const WORDS = new Map<string, (params: FailureParams) => string>([
  ['additionalProperties', () => 'is not a property that can be set'],
  ['required', () => 'is required'],
  ['type', ({ type }) => `must be ${describeTypes([type].flat())}`],
  [
    'enum',
    ({ allowedValues }) => `must be ${allowedValues.length > 1 ? 'one of ' : ''}${describeValues(allowedValues)}`,
  ],
  ['pattern', ({ pattern }) => explainPattern(pattern) ?? 'does not have the expected format'],
  ['format', ({ format }) => FORMATS.get(format) ?? 'does not have the expected format'],
  ['minLength', ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`)],
  ['maxLength', ({ limit }) => `must have at most ${formatCount(limit, 'character')}`],
  ['minimum', ({ limit }) => `must be at least ${limit}`],
  ['maximum', ({ limit }) => `must be at most ${limit}`],
  ['minItems', ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} items`)],
  ['maxItems', ({ limit }) => `must have at most ${formatCount(limit, 'item')}`],
  ['uniqueItems', () => 'must not contain the same item twice'],
  ['minProperties', ({ limit }) => `must have at least ${formatCount(limit, 'property', 'properties')}`],
  ['maxProperties', ({ limit }) => `must have at most ${formatCount(limit, 'property', 'properties')}`],
  ['anyOf', () => 'matches none of the allowed forms'],
]);

const FORMATS = new Map([
  ['date-time', 'must be a time such as 2026-01-31T12:00:00.000Z'],
  ['email', 'must be an e-mail address'],
  ['hostname', 'must be a host name'],
  ['uri', 'must be a full web address'],
]);

/** Describes a failure; the text continues a sentence that begins with the field's name. */
export function describeFailure({ keyword, params }: Pick<ValidationFailure, 'keyword' | 'params'>): string {
  return WORDS.get(keyword)?.(params as FailureParams) ?? 'is not valid';
}

const TYPES = new Map([
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

const describeTypes = (types: string[]): string => types.map((type) => TYPES.get(type) ?? type).join(' or ');
