/**
 * The search in the guides, and the place of the menu. The search runs in the browser, and its index is loaded when the reader types the first
 * letter.
 */
import type MiniSearch from 'minisearch';

/** An entry of the search index, as /docs/assets/search.json lists it. */
interface Entry {
  id: number;
  path: string;
  page: string;
  title: string;
  text: string;
  words: string;
  weight: number;
}

const MOST_RESULTS = 12;
// The number of letters that an excerpt shows before and after the first match.
const BEFORE = 40;
const AFTER = 120;

function getElement<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

const search = getElement('search', HTMLElement);
const query = getElement('query', HTMLInputElement);
const results = getElement('results', HTMLElement);
const home = new URL('..', import.meta.url);
let index: Promise<MiniSearch<Entry>> | undefined;
let chosen = -1;

const removeAccents = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();

/** Loads the library MiniSearch, whose script stores it in `window.MiniSearch`. */
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
    fields: ['title', 'page', 'text', 'words'],
    storeFields: ['path', 'page', 'title', 'text', 'weight'],
    processTerm: removeAccents,
    searchOptions: {
      boostDocument: (_id, _term, stored) => Number(stored?.['weight']),
      boost: { title: 4, page: 2, words: 8 },
      prefix: true,
      fuzzy: 0.15,
      combineWith: 'AND',
    },
  });
  made.addAll(entries);
  return made;
}

async function showResults(): Promise<void> {
  const asked = query.value.trim();
  if (asked === '') return hideResults();
  index ??= loadIndex();
  const found = (await index).search(asked).slice(0, MOST_RESULTS) as unknown as Entry[];
  // The reader may have typed another query while the index was loaded; then these results are out of date.
  if (query.value.trim() !== asked) return;
  const nothing = document.createElement('p');
  nothing.textContent = `Nothing found for “${asked}”`;
  results.replaceChildren(...(found.length > 0 ? found.map((entry, at) => createOption(entry, at, asked)) : [nothing]));
  results.hidden = false;
  query.setAttribute('aria-expanded', 'true');
  selectOption(found.length > 0 ? 0 : -1);
}

function hideResults(): void {
  results.hidden = true;
  query.setAttribute('aria-expanded', 'false');
  selectOption(-1);
}

function createOption(entry: Entry, at: number, asked: string): HTMLElement {
  const option = document.createElement('a');
  const title = document.createElement('b');
  const where = document.createElement('small');
  title.textContent = entry.title;
  where.textContent = [entry.page === entry.title ? '' : entry.page, makeExcerpt(entry.text, asked)]
    .filter(Boolean)
    .join(' · ');
  // The URL of the overview is that of the folder itself, without a slash.
  option.href = /^(#|$)/.test(entry.path) ? home.href.replace(/\/$/, '') + entry.path : new URL(entry.path, home).href;
  option.id = `result-${at}`;
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.append(title, where);
  option.addEventListener('click', hideResults);
  return option;
}

function makeExcerpt(text: string, asked: string): string {
  const [first = ''] = asked.split(/\s+/);
  const at = Math.max(0, text.toLowerCase().indexOf(first.toLowerCase()) - BEFORE);
  return (at > 0 ? '…' : '') + text.slice(at, at + BEFORE + AFTER);
}

function selectOption(at: number): void {
  const options = [...results.querySelectorAll('a')];
  chosen = options.length === 0 ? -1 : Math.min(Math.max(at, -1), options.length - 1);
  for (const [each, option] of options.entries()) option.setAttribute('aria-selected', String(each === chosen));
  if (chosen < 0) query.removeAttribute('aria-activedescendant');
  else {
    query.setAttribute('aria-activedescendant', `result-${chosen}`);
    options[chosen]?.scrollIntoView({ block: 'nearest' });
  }
}

query.addEventListener('input', () => void showResults());
query.addEventListener('focus', () => void showResults());
query.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hideResults();
  else if (event.key === 'ArrowDown') selectOption(chosen + 1);
  else if (event.key === 'ArrowUp') selectOption(chosen - 1);
  else if (event.key === 'Enter') results.querySelectorAll('a')[chosen]?.click();
  else return;
  event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (event.target instanceof Node && !search.contains(event.target)) hideResults();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  query.focus();
});
search.hidden = false;

// A long menu begins with the entry of the current page in its middle. Scrolling the entry into view could also scroll the page.
const menu = document.querySelector('.menu');
const entry = menu?.querySelector<HTMLElement>('[aria-current]');
if (menu && entry) menu.scrollTop = entry.offsetTop - menu.clientHeight / 2;
