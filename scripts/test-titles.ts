/** Reads the titles of a test file's tests from its text, without running it. */
import { parseSync, Visitor } from 'oxc-parser';

export interface TestTitle {
  title: string;
  /** False for a group (describe, suite). */
  isTest: boolean;
  /** True when the test is skipped or marked as to do: it proves nothing. */
  isSkipped: boolean;
}

const TESTS = ['test', 'it'];
const GROUPS = ['describe', 'suite'];

/** A title with `${…}` is returned as it is written. */
export function readTestTitles(path: string, text: string): TestTitle[] {
  const titles: TestTitle[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first, second] }) {
      const member = callee.type === 'MemberExpression' ? callee : null;
      const base = member ? member.object : callee;
      const property = member?.property.type === 'Identifier' ? member.property.name : null;
      const baseName = base.type === 'Identifier' ? base.name : '';
      // test(), test.skip() and the like; t.test() inside a test counts as a test of its own.
      const known = [...TESTS, ...GROUPS].includes(baseName);
      const name = known ? baseName : (property ?? '');
      if (!first || (!known && name !== 'test')) return;
      const title = readTitle(first, text);
      if (title === null) return;
      const isSkipped = (known && (property === 'skip' || property === 'todo')) || hasSkipOption(second);
      titles.push({ title, isTest: TESTS.includes(name), isSkipped });
    },
  }).visit(parseSync(path, text).program);
  return titles;
}

interface TextSpan {
  type: string;
  start: number;
  end: number;
}

function readTitle(node: TextSpan & { value?: unknown }, text: string): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  return node.type === 'TemplateLiteral' ? text.slice(node.start + 1, node.end - 1) : null;
}

function hasSkipOption(node: unknown): boolean {
  const { properties = [] } = (node ?? {}) as {
    properties?: { key?: { name?: string }; value?: { type: string; value?: unknown } }[];
  };
  // A test with `skip: <condition>` runs on some machines; one with `skip: true` or a reason never runs.
  return properties.some(
    ({ key, value }) =>
      (key?.name === 'skip' || key?.name === 'todo') && value?.type === 'Literal' && Boolean(value.value),
  );
}
