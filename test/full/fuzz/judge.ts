/** Checks the rules that hold for every answer, whatever the request was. */
import { ERRORS } from '../../../src/platform/values/errors.ts';
import { readOperations, type Schema } from './document.ts';
import type { FuzzRequest } from './shot.ts';
import { findMisfits } from './validate.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const PROBLEM = 'application/problem+json';
// All 4xx of all operations have the same schema.
const PROBLEM_SCHEMA: Schema =
  [...(readOperations()[0]?.answers ?? [])].find(([status]) => status === 400)?.[1].schema ?? {};

/** Returns the rules that the answer breaks, as sentences. */
export function findFaults(shot: FuzzRequest, answer: Answer): string[] {
  const { status, headers, text } = answer;
  const faults: string[] = [];
  if (status >= 500) faults.push(`5xx: ${status} ${text.slice(0, 300)}`);
  const id = headers['x-request-id'];
  if (typeof id !== 'string' || id === '') faults.push('no x-request-id');
  if (/node_modules|\.ts:\d|at \w+ \(/.test(text) && status >= 400)
    faults.push(`the inside shows: ${text.slice(0, 300)}`);
  if (shot.statuses && !shot.statuses.includes(status))
    faults.push(`answered ${status}, not ${shot.statuses.join(' or ')}: ${text.slice(0, 300)}`);
  if (status >= 400) return [...faults, ...findProblemFaults(shot, answer), ...findUndocumentedParts(shot, answer)];
  return [...faults, ...findUndocumentedParts(shot, answer)];
}

function findUndocumentedParts({ operation, method }: FuzzRequest, { status, headers, text }: Answer): string[] {
  if (!operation) return [];
  const documented = operation.answers.get(status);
  if (!documented) return [`undocumented: ${status} ${text.slice(0, 300)}`];
  const type = String(headers['content-type'] ?? '');
  if (documented.types.length > 0 && !documented.types.some((each) => type.startsWith(each)))
    return [`content type ${type}, not ${documented.types.join(' or ')}`];
  if (method === 'HEAD' || !documented.types[0]?.includes('json')) return [];
  const body = tryParseJson(text);
  const { code = '' } = (body ?? {}) as Partial<Problem>;
  if (status >= 400 && !documented.codes.includes(code)) return [`undocumented: ${status} ${code}`];
  if (body === undefined) return [`no JSON: ${text.slice(0, 300)}`];
  return findMisfits(documented.schema, body, { closed: true })
    .slice(0, 3)
    .map((misfit) => `${status}, but ${misfit}`);
}

interface Problem {
  status: number;
  code: string;
  errors: { path: string }[];
  request_id: string;
}

function findProblemFaults(shot: FuzzRequest, { status, headers, text }: Answer): string[] {
  const type = String(headers['content-type'] ?? '');
  if (!type.startsWith(PROBLEM)) return [`a ${status} of type ${type}: ${text.slice(0, 200)}`];
  if (shot.method === 'HEAD') return [];
  const problem = tryParseJson(text) as Problem;
  const [misfit] = findMisfits(PROBLEM_SCHEMA, problem, { closed: true });
  if (misfit !== undefined) return [`no problem: ${misfit}`];
  const { code, errors } = problem;
  const faults: string[] = [];
  if (ERRORS[code as keyof typeof ERRORS]?.status !== status || problem.status !== status)
    faults.push(`${code} and ${problem.status} in a ${status}`);
  if (problem.request_id !== headers['x-request-id']) faults.push('another request_id than x-request-id');
  if (shot.codes && !shot.codes.includes(code))
    faults.push(`${code}, not ${shot.codes.join(' or ')}: ${text.slice(0, 300)}`);
  if (code === 'VALIDATION_FAILED' && (errors.length === 0 || errors.some(({ path }) => path === '')))
    faults.push(`a validation that names no field: ${text.slice(0, 300)}`);
  if (
    code === 'VALIDATION_FAILED' &&
    shot.names !== undefined &&
    !errors.some(({ path }) => pathsOverlap(path, shot.names ?? ''))
  )
    faults.push(
      `${shot.names} was wrong, but named are ${errors
        .map(({ path }) => path)
        .join(', ')
        .slice(0, 300)}`,
    );
  return faults;
}

/** Returns true when one of the two places in a body is the other one or inside it. Keys may contain dots and brackets themselves. */
function pathsOverlap(named: string, wrong: string): boolean {
  const plain = (path: string): string => path.replaceAll(/[.[\]]+/g, '/').replace(/\/$/, '');
  const [a, b] = [plain(named), plain(wrong)];
  return a === b || a.startsWith(b) || b.startsWith(a);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Failure policy: a body that is not JSON is reported as such.
    return undefined;
  }
}
