/** The search of the guides: the index is loaded with the first letter, and asked in the browser. */
import type MiniSearch from 'minisearch';

/** As /docs/assets/search.json lists them. */
interface Entry {
  id: number;
  path: string;
  page: string;
  title: string;
  text: string;
}

const MOST_RESULTS = 12;
const DECISIONS_WEIGH = 0.3;
// Letters of an excerpt before and after what was found.
const BEFORE = 40;
const AFTER = 120;

function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

const search = find('search', HTMLElement);
const query = find('query', HTMLInputElement);
const results = find('results', HTMLElement);
const home = new URL('..', import.meta.url);
let index: Promise<MiniSearch<Entry>> | undefined;
let chosen = -1;

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();

/** The library names itself in the window. */
async function loadLibrary(): Promise<typeof MiniSearch> {
  const script = document.createElement('script');
  script.src = new URL('minisearch.js', import.meta.url).href;
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
  });
  document.head.append(script);
  await loaded;
  return (window as unknown as { MiniSearch: typeof MiniSearch }).MiniSearch;
}

async function loadIndex(): Promise<MiniSearch<Entry>> {
  const [Library, entries] = await Promise.all([
    loadLibrary(),
    fetch(new URL('search.json', import.meta.url)).then((answer) => answer.json() as Promise<Entry[]>),
  ]);
  const made = new Library<Entry>({
    fields: ['title', 'page', 'text'],
    storeFields: ['path', 'page', 'title', 'text'],
    processTerm: fold,
    searchOptions: {
      // Whoever searches asks how to use the platform more often than how it was decided.
      boostDocument: (_id, _term, stored) => (String(stored?.['path']).startsWith('decisions') ? DECISIONS_WEIGH : 1),
      boost: { title: 4, page: 2 },
      prefix: true,
      fuzzy: 0.15,
      combineWith: 'AND',
    },
  });
  made.addAll(entries);
  return made;
}

async function show(): Promise<void> {
  const asked = query.value.trim();
  if (asked === '') return hide();
  index ??= loadIndex();
  const found = (await index).search(asked).slice(0, MOST_RESULTS) as unknown as Entry[];
  // Somebody who types fast has asked for something else meanwhile.
  if (query.value.trim() !== asked) return;
  const nothing = document.createElement('p');
  nothing.textContent = `Nothing found for “${asked}”`;
  results.replaceChildren(...(found.length > 0 ? found.map((entry, at) => optionOf(entry, at, asked)) : [nothing]));
  results.hidden = false;
  query.setAttribute('aria-expanded', 'true');
  choose(found.length > 0 ? 0 : -1);
}

function hide(): void {
  results.hidden = true;
  query.setAttribute('aria-expanded', 'false');
  choose(-1);
}

function optionOf(entry: Entry, at: number, asked: string): HTMLElement {
  const option = document.createElement('a');
  const title = document.createElement('b');
  const where = document.createElement('small');
  title.textContent = entry.title;
  where.textContent = [entry.page === entry.title ? '' : entry.page, excerptOf(entry.text, asked)]
    .filter(Boolean)
    .join(' · ');
  // The overview is the folder itself, without a slash.
  option.href = entry.path === '' ? home.href.replace(/\/$/, '') : new URL(entry.path, home).href;
  option.id = `result-${at}`;
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.append(title, where);
  option.addEventListener('click', hide);
  return option;
}

function excerptOf(text: string, asked: string): string {
  const [first = ''] = asked.split(/\s+/);
  const at = Math.max(0, text.toLowerCase().indexOf(first.toLowerCase()) - BEFORE);
  return (at > 0 ? '…' : '') + text.slice(at, at + BEFORE + AFTER);
}

function choose(at: number): void {
  const options = [...results.querySelectorAll('a')];
  chosen = options.length === 0 ? -1 : Math.min(Math.max(at, -1), options.length - 1);
  for (const [each, option] of options.entries()) option.setAttribute('aria-selected', String(each === chosen));
  if (chosen < 0) query.removeAttribute('aria-activedescendant');
  else {
    query.setAttribute('aria-activedescendant', `result-${chosen}`);
    options[chosen]?.scrollIntoView({ block: 'nearest' });
  }
}

query.addEventListener('input', () => void show());
query.addEventListener('focus', () => void show());
query.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hide();
  else if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Enter') results.querySelectorAll('a')[chosen]?.click();
  else return;
  event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (event.target instanceof Node && !search.contains(event.target)) hide();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  query.focus();
});
search.hidden = false;
