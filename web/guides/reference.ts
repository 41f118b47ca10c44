/** The pages of the API reference: the filter of the list of operations, and the forms that send requests with the reader's key. */

const HOME = new URL('../..', import.meta.url);
const KEPT = 'parley-reference-key';
const JSON_TYPE = 'application/json';

redirectOldAddress();
addEventListener('hashchange', redirectOldAddress);
showFilter();
showForms();

/** Earlier versions of the reference named an operation behind the # as `/tag/operation`. */
function redirectOldAddress(): void {
  const [, tag, operation] = /^#\/(\w[\w-]*)(?:\/(\w+))?$/.exec(location.hash) ?? [];
  if (tag !== undefined)
    location.replace(new URL(`docs/api/${tag.toLowerCase()}${operation === undefined ? '' : `#${operation}`}`, HOME));
}

function showFilter(): void {
  const filter = document.querySelector<HTMLInputElement>('#filter');
  const none = document.querySelector<HTMLElement>('#no-operations');
  if (!filter || !none) return;
  const label = filter.closest<HTMLElement>('label');
  if (label) label.hidden = false;
  const parts = [...document.querySelectorAll<HTMLElement>('.part')];
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const part of parts) filterPart(part, words);
    none.hidden = parts.some((part) => !part.hidden);
  });
}

function filterPart(part: HTMLElement, words: string[]): void {
  const title = part.querySelector('h2')?.textContent.toLowerCase() ?? '';
  const items = [...part.querySelectorAll('li')];
  for (const item of items) {
    const text = `${title} ${item.textContent.toLowerCase()}`;
    item.hidden = !words.every((word) => text.includes(word));
  }
  part.hidden = items.every((item) => item.hidden);
}

interface Key {
  key: string;
  company: string;
}

function showForms(): void {
  const form = document.querySelector<HTMLFormElement>('#key');
  if (!form) return;
  form.hidden = false;
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}') as Partial<Key>;
  const { key, company } = findKeyInputs(form);
  key.value = kept.key ?? '';
  company.value = kept.company ?? '';
  form.addEventListener('input', () => sessionStorage.setItem(KEPT, JSON.stringify(readKey(form))));
  form.addEventListener('submit', (event) => event.preventDefault());
  for (const details of document.querySelectorAll<HTMLDetailsElement>('.try')) {
    details.hidden = false;
    // The key is asked for where the request is sent from: the page is long.
    details.addEventListener('toggle', () => {
      if (details.open) details.querySelector('form')?.before(form);
    });
    details.querySelector('form')?.addEventListener('submit', (event) => {
      event.preventDefault();
      if (event.target instanceof HTMLFormElement) void send(event.target, readKey(form));
    });
  }
}

function findKeyInputs(form: HTMLFormElement): { key: HTMLInputElement; company: HTMLInputElement } {
  const [key, company] = form.querySelectorAll('input');
  if (!key || !company) throw new Error('the page has no fields for a key');
  return { key, company };
}

function readKey(form: HTMLFormElement): Key {
  const { key, company } = findKeyInputs(form);
  return { key: key.value.trim(), company: company.value.trim() };
}

async function send(form: HTMLFormElement, key: Key): Promise<void> {
  const status = form.querySelector('output');
  const shown = form.querySelector('pre');
  const code = form.querySelector('pre code');
  if (!status || !shown || !code) return;
  status.textContent = 'Sending …';
  shown.hidden = true;
  try {
    const answer = await fetch(makeAddress(form), makeRequest(form, key));
    const text = await answer.text();
    status.textContent = `${answer.status} ${answer.statusText}`;
    code.textContent = isJson(answer) ? JSON.stringify(JSON.parse(text), null, 2) : text;
    shown.hidden = false;
  } catch (error) {
    // Failure policy: the reader sees why there is no answer, and may send again.
    status.textContent = String(error);
  }
}

const isJson = (answer: Response): boolean => /json/.test(answer.headers.get('content-type') ?? '');

const listFields = (form: HTMLFormElement, place: string): HTMLInputElement[] => [
  ...form.querySelectorAll<HTMLInputElement>(`[data-in="${place}"]`),
];

function makeAddress(form: HTMLFormElement): URL {
  let path = form.dataset['path'] ?? '';
  for (const { name, value } of listFields(form, 'path'))
    path = path.replace(`{${name}}`, encodeURIComponent(value.trim()));
  const address = new URL(path.replace(/^\//, ''), HOME);
  for (const { name, value } of listFields(form, 'query')) if (value !== '') address.searchParams.set(name, value);
  return address;
}

function makeRequest(form: HTMLFormElement, { key, company }: Key): RequestInit {
  const { method = 'GET', type } = form.dataset;
  const headers = new Headers();
  if (key !== '') headers.set('authorization', `Bearer ${key}`);
  if (company !== '') headers.set('x-company-id', company);
  const [body] = listFields(form, 'body');
  if (body) {
    headers.set('content-type', JSON_TYPE);
    return { method, headers, body: body.value };
  }
  return type === 'multipart/form-data' ? { method, headers, body: makeFormBody(form) } : { method, headers };
}

function makeFormBody(form: HTMLFormElement): FormData {
  const data = new FormData();
  for (const { name, value, files } of listFields(form, 'form')) {
    const [file] = files ?? [];
    if (file) data.append(name, file);
    else if (value !== '') data.append(name, value);
  }
  return data;
}
