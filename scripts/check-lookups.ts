/**
 * Forbids look-ups in an object by a text that somebody else chose, such as a column's title: `object[key]` also finds inherited
 * properties, such as `constructor`. The type of the key decides: a number is an index, a union of literals was chosen by the code, and any
 * other text may come from anywhere. `node scripts/check-lookups.ts [root]`. Fails when it found no file.
 */
import { join, relative, resolve } from 'node:path';
import {
  isAsExpression,
  isBinaryExpression,
  isBindingElement,
  isComputedPropertyName,
  isDeleteExpression,
  isElementAccessExpression,
} from 'typescript/unstable/ast/is';
import { SyntaxKind, type Node, type SourceFile } from 'typescript/unstable/ast';
import { API, TypeFlags, type Checker } from 'typescript/unstable/sync';
import { isTest } from './import-law.ts';
import { reportViolations, type Violation } from './source-facts.ts';

/** The web pages and the client have TypeScript configurations of their own. */
const PROJECTS = ['tsconfig.json', 'web/tsconfig.json', 'sdk/tsconfig.json'];
const FOLDERS = /^(?:src|sandbox|web|sdk)\//;
/**
 * The two files that check first whether the object itself has the key. The sandbox has its own, because it imports nothing of the
 * platform.
 */
const HOMES = ['src/platform/values/own-property.ts', 'sandbox/exchange.ts', 'web/browser/own-property.ts'];
const SENTENCE =
  'looks a text up in an object, which also finds what every object inherits: use getOwnProperty() or a Map';

// Any string, a template with any string in it, and unchecked values.
const ANY_TEXT = TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.Any | TypeFlags.Unknown;

interface ObjectLookUp {
  node: Node;
  key: Node;
}

/**
 * Finds `object[key]`, `key in object` and `const { [key]: value } = object`. Deleting a key is harmless, because it never affects
 * inherited ones.
 */
function listLookUps(file: SourceFile): ObjectLookUp[] {
  const found: ObjectLookUp[] = [];
  const visit = (node: Node): void => {
    if (isElementAccessExpression(node) && !isDeleteExpression(node.parent)) {
      found.push({ node, key: node.argumentExpression });
    } else if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword) {
      found.push({ node, key: node.left });
    } else if (isComputedPropertyName(node) && isBindingElement(node.parent)) {
      found.push({ node, key: node.expression });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** True for a key that may be any text, even when a type assertion narrows it. */
function isAnyText(checker: Checker, key: Node): boolean {
  const type = checker.getTypeAtLocation(isAsExpression(key) ? key.expression : key);
  return type === undefined || (type.flags & ANY_TEXT) !== 0;
}

export function findLookUps(
  root: string,
  projects: readonly string[] = PROJECTS,
): { files: number; violations: Violation[] } {
  const folder = resolve(root);
  const api = new API({ cwd: folder });
  try {
    const openProjects = projects.map((name) => join(folder, name));
    const violations: Violation[] = [];
    let files = 0;
    for (const { rootFiles, program, checker } of api.updateSnapshot({ openProjects }).getProjects()) {
      for (const name of rootFiles) {
        const path = relative(folder, name).replaceAll('\\', '/');
        const file =
          FOLDERS.test(path) && !isTest(path) && !HOMES.includes(path) ? program.getSourceFile(name) : undefined;
        if (!file) continue;
        files += 1;
        for (const { node } of listLookUps(file).filter((each) => isAnyText(checker, each.key))) {
          const line = file.text.slice(0, node.getStart(file)).split('\n').length;
          violations.push({ path, line, sentence: SENTENCE });
        }
      }
    }
    return { files, violations };
  } finally {
    api.close();
  }
}

if (import.meta.main) {
  const { files, violations } = findLookUps(process.argv[2] ?? '.');
  reportViolations('look-ups', files, violations);
}
