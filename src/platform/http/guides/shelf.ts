/** Lists the guides: the Markdown files of docs/ and its folders, in a useful order for readers. */
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../../../docs/', import.meta.url);
const OVERVIEW = 'README';
const DECISIONS = 'decisions';
/** The folders of docs/ and the groups of their guides. */
const FOLDER_GROUPS = { guarantees: 'All guarantees', [DECISIONS]: 'Decisions' } as const;
// The guides for integrators and operators, in this order.
const FOR_USERS = [
  OVERVIEW,
  'tour',
  'messages',
  'conversations',
  'automation',
  'teams',
  'reports',
  'business-hours',
  'sla',
  'csat',
  'contacts',
  'imports',
  'templates',
  'campaigns',
  'tables',
  'agents',
  'ai-assist',
  'events',
  'authentication',
  'single-sign-on',
  'scopes',
  'errors',
  'lists',
  'live',
  'notifications',
  'mcp',
  'evolution',
  'whatsapp',
  'web-chat',
  'email',
  'partner-api',
  'professional-network',
  'phone',
  'sdk',
  'console',
  'console-settings',
  'deploying',
  'high-availability',
  'limits',
];
// All other guides explain how the platform is built, these first.
const ORDER = [...FOR_USERS, 'architecture', 'flows', 'recipes', 'channel', 'guarantees', 'benchmarks'];

export interface Guide {
  /** The path below /docs, such as `errors` or `decisions/0006-ids`; empty for the overview. */
  path: string;
  title: string;
  group: 'Guides' | 'How it is built' | (typeof FOLDER_GROUPS)[keyof typeof FOLDER_GROUPS];
  markdown: string;
}

/** Lists the paths of all guides without reading the files. */
export function listGuidePaths(): string[] {
  const list = (folder: string) =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => name.endsWith('.md'))
      .toSorted()
      .map((name) => folder + name.slice(0, -'.md'.length));
  const guides = ['', ...Object.keys(FOLDER_GROUPS).map((folder) => `${folder}/`)].flatMap(list);
  return [...guides.map((path) => (path === OVERVIEW ? '' : path)), DECISIONS];
}

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
  for (const [folder, group] of Object.entries(FOLDER_GROUPS)) if (path.startsWith(`${folder}/`)) return group;
  return FOR_USERS.includes(path || OVERVIEW) ? 'Guides' : 'How it is built';
}

/** Guides outside of ORDER are last and keep the order of their file names. */
function chooseRank({ path }: Guide): number {
  const rank = ORDER.indexOf(path || OVERVIEW);
  return rank === -1 ? ORDER.length : rank;
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
