/** Writes /llms.txt, the list of the documentation for language models (https://llmstxt.org). Its links are relative, as those of the guides. */
import { linkBetween, splitSections } from './markdown.ts';
import type { Guide } from './shelf.ts';

const API = `## API

- [OpenAPI document](openapi.json): Every operation with its parameters, responses and scopes.
- [API reference](docs/api): The same for people, with examples.
- [MCP server](mcp): Tools for assistants, over Streamable HTTP; needs an API key or OAuth.`;

// A row of the overview's table of all guides: the path of a guide, and what it is about.
const ROW = /^\| \[[^\]]+\]\((\S+)\.md\) \| ([^[\]]+) \|$/gm;

export function renderLlmsText(guides: Guide[]): string {
  const [overview] = guides;
  if (!overview) throw new Error('there are no guides');
  const about = new Map([...overview.markdown.matchAll(ROW)].map(([, path, words]) => [path, words]));
  const describe = (guide: Guide): string => {
    const link = `- [${guide.title}](${linkBetween('', guide.path)})`;
    // The title of a decision says it all; its text begins with the problem.
    return guide.group === 'Decisions' ? link : `${link}: ${about.get(guide.path) ?? readFirstSentence(guide)}`;
  };
  const groups = [...Map.groupBy(guides, ({ group }) => group)].map(
    ([group, members]) => `## ${group}\n\n${members.map(describe).join('\n')}`,
  );
  return `${['# Parley', `> ${readFirstSentence(overview)}`, API, ...groups].join('\n\n')}\n`;
}

/** Returns the first sentence below the title. */
const readFirstSentence = (guide: Guide): string =>
  /^.*?\.(?=\s|$)/.exec(splitSections(guide)[0]?.text ?? '')?.[0] ?? '';
