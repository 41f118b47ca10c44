/** Lists the guides: the Markdown files of docs/, in a useful order for readers. */
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../../../docs/', import.meta.url);
const OVERVIEW = 'README';
const DECISIONS = 'decisions';
// The guides for integrators and operators, in this order. All others explain how the platform is built.
const FOR_USERS = [
  OVERVIEW,
  'tour',
  'messages',
  'conversations',
  'contacts',
  'imports',
  'templates',
  'campaigns',
  'tables',
  'agents',
  'events',
  'authentication',
  'errors',
  'lists',
  'live',
  'whatsapp',
  'web-chat',
  'email',
  'partner-api',
  'professional-network',
  'phone',
  'sdk',
  'console',
  'deploying',
  'high-availability',
  'limits',
];

export interface Guide {
  /** The path below /docs, such as `errors` or `decisions/0006-ids`; empty for the overview. */
  path: string;
  title: string;
  group: 'Guides' | 'How it is built' | 'Decisions';
  markdown: string;
}

/** Lists the paths of all guides without reading the files. */
export function listGuidePaths(): string[] {
  const names = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const decisions = readdirSync(new URL(`${DECISIONS}/`, ROOT)).filter((name) => name.endsWith('.md'));
  return [
    ...names.map((name) => toPath(name.slice(0, -'.md'.length))),
    DECISIONS,
    ...decisions.toSorted().map((name) => `${DECISIONS}/${name.slice(0, -'.md'.length)}`),
  ];
}

const toPath = (name: string): string => (name === OVERVIEW ? '' : name);

/** Reads all guides. */
export function readGuides(): Guide[] {
  const read = (path: string): Guide => {
    const markdown = readFileSync(new URL(`${path || OVERVIEW}.md`, ROOT), 'utf8');
    return { path, title: readTitle(markdown), group: chooseGroup(path), markdown };
  };
  const files = listGuidePaths().filter((path) => path !== DECISIONS);
  const guides = files.map(read).toSorted((a, b) => chooseRank(a) - chooseRank(b));
  return [...guides, makeIndex(guides.filter(({ group }) => group === 'Decisions'))];
}

/** Returns the title of a guide, which is its first heading. */
const readTitle = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

function chooseGroup(path: string): Guide['group'] {
  if (path.startsWith(`${DECISIONS}/`)) return 'Decisions';
  return FOR_USERS.includes(path || OVERVIEW) ? 'Guides' : 'How it is built';
}

/** Guides for users come first, in the order of FOR_USERS; all others keep the order of their file names. */
function chooseRank({ path, group }: Guide): number {
  return group === 'Guides' ? FOR_USERS.indexOf(path || OVERVIEW) : FOR_USERS.length;
}

/** Makes the page of the folder decisions/, with links to all decisions. */
function makeIndex(decisions: Guide[]): Guide {
  const lines = decisions.map(({ path, title }) => `- [${title}](${path}.md)`);
  const intro = 'What was decided, what else was possible, and why: half a page each.';
  return {
    path: DECISIONS,
    title: 'Decisions',
    group: 'How it is built',
    markdown: ['# Decisions', intro, lines.join('\n')].join('\n\n'),
  };
}
