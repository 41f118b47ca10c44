/**
 * The law of limits: a constant whose name calls it a limit is declared with declareLimit(), so that docs/limits.md has a line for it, or
 * stands in scripts/tuning.ts with the reason why no user, integrator or operator runs into it.
 */
import { parseSync, Visitor, type Node } from 'oxc-parser';
import type { SourceFile, Violation } from './source-facts.ts';

/** Names such as MAX_STEPS, MOST_CALLS, OWED_MAX_BYTES or BODY_LIMIT. */
const LIMIT_NAME = /^(?=[A-Z\d_]+$)(?:(?:.*_)?(?:MAX|MOST|LONGEST|LARGEST|DEEPEST)(?:_.*)?|(?:.*_)?LIMITS?)$/;

/** Lists the names that are written like limits, have a number of their own, and are not declared. */
export function findUndeclared({ path, text }: SourceFile): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = [];
  new Visitor({
    VariableDeclarator({ id, init, start }) {
      if (id.type !== 'Identifier' || !LIMIT_NAME.test(id.name) || !init || !hasOwnNumber(init)) return;
      found.push({ name: id.name, line: text.slice(0, start).split('\n').length });
    },
  }).visit(parseSync(path, text).program);
  return found;
}

/** True for an expression with a number of its own: neither in a call, such as that of declareLimit(), nor behind a name. */
function hasOwnNumber(node: Node): boolean {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'number';
    case 'BinaryExpression':
      return hasOwnNumber(node.left) || hasOwnNumber(node.right);
    case 'UnaryExpression':
      return hasOwnNumber(node.argument);
    case 'TSAsExpression':
      return hasOwnNumber(node.expression);
    case 'ArrayExpression':
      return node.elements.some((each) => each !== null && hasOwnNumber(each));
    case 'ObjectExpression':
      return node.properties.some((each) => each.type === 'Property' && hasOwnNumber(each.value));
    default:
      return false;
  }
}

export interface Tuning {
  /** Why nobody runs into them. */
  reason: string;
  /** The files below src/ with the names of their constants. */
  constants: Readonly<Record<string, string>>;
}

/** Lists the undeclared limits that are not in the list of tuning, and the names in that list that are no such constants. */
export function findLimitViolations(files: readonly SourceFile[], tuning: readonly Tuning[]): Violation[] {
  const listed = new Set(
    tuning.flatMap(({ constants }) =>
      Object.entries(constants).flatMap(([path, names]) => names.split(' ').map((name) => `src/${path} ${name}`)),
    ),
  );
  const found = new Set<string>();
  const isListed = (entry: string): boolean => found.add(entry) && listed.has(entry);
  const violations = files.flatMap((file) =>
    findUndeclared(file)
      .filter(({ name }) => !isListed(`${file.path} ${name}`))
      .map(({ name, line }) => ({
        path: file.path,
        line,
        sentence: `${name} is a limit without a line in docs/limits.md: declare it with declareLimit(), or list it in scripts/tuning.ts`,
      })),
  );
  const stale = [...listed.difference(found)].map((entry) => ({
    path: 'scripts/tuning.ts',
    line: 1,
    sentence: `${entry} is not an undeclared limit`,
  }));
  return [...violations, ...stale];
}
