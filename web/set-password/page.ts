/**
 * The page behind a mailed link. `/set-password#token=…` sets a new password; with `&accept` it accepts an invitation and keeps the
 * password that the person already has.
 */
import { textsFor, type Texts } from './texts.ts';

// The rule of POST /v1/auth/reset-password, counted as the server does: in characters, not in UTF-16 units.
const LEAST = 8;
const MOST = 128;

function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

const form = find('ask', HTMLFormElement);
const password = find('password', HTMLInputElement);
const again = find('again', HTMLInputElement);
const show = find('show', HTMLInputElement);
const save = find('save', HTMLButtonElement);
const join = find('join', HTMLFormElement);
const accept = find('accept', HTMLButtonElement);
const { lang, texts } = textsFor(navigator.languages);

/** Only here: neither the address bar nor the history nor any storage keeps it. */
let token = '';
let busy = false;

function open(): void {
  const given = takeFragment();
  token = given.get('token') ?? '';
  if (token === '') return showDead(texts.emptyTitle, texts.empty);
  if (given.has('accept')) showJoin();
  else showAsk();
}

/** What stands behind the # of the address, which loses it at once. */
function takeFragment(): URLSearchParams {
  const given = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
  return given;
}

function showAsk(): void {
  showPart('ask');
  password.focus();
}

/** Nothing is accepted before the reader says so: mail programs open links by themselves. */
function showJoin(): void {
  showPart('join');
  accept.focus();
}

function showPart(id: 'ask' | 'join' | 'done' | 'dead'): void {
  for (const part of document.querySelectorAll<HTMLElement>('main > *')) part.hidden = part.id !== id;
  document.title = `${document.querySelector(`#${id} h1`)?.textContent ?? ''} · Parley`;
}

function showDead(title: string, reason: string): void {
  find('dead-title', HTMLHeadingElement).textContent = title;
  find('dead-reason', HTMLParagraphElement).textContent = reason;
  showPart('dead');
  find('dead', HTMLElement).focus();
}

function showDone(title: string, text: string): void {
  form.reset();
  find('done-title', HTMLHeadingElement).textContent = title;
  find('done-text', HTMLParagraphElement).textContent = text;
  showPart('done');
  find('done', HTMLElement).focus();
}

/** Says what is wrong with a field, or with '' that nothing is. */
function mark(field: HTMLInputElement, error: string): void {
  find(`${field.id}-error`, HTMLParagraphElement).textContent = error;
  if (error) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}

/** False, with the first wrong field in focus, when there is nothing to send. */
function check(): boolean {
  const length = Array.from(password.value).length;
  mark(password, length < LEAST ? texts.tooShort : length > MOST ? texts.tooLong : '');
  mark(again, again.value === password.value ? '' : texts.different);
  const wrong = [password, again].find((field) => field.hasAttribute('aria-invalid'));
  wrong?.focus();
  return !wrong;
}

async function submit(): Promise<void> {
  tell('');
  if (busy || !check()) return;
  // A browser offers to keep what stands in a password field only.
  showTyped(false);
  await send('reset-password', { token, new_password: password.value }, () => showDone(texts.doneTitle, texts.done));
}

function submitJoin(): Promise<void> {
  return send('accept-invitation', { token }, () => showDone(texts.joinedTitle, texts.joined));
}

async function send(operation: string, body: object, done: () => void): Promise<void> {
  if (busy) return;
  tell('');
  setBusy(true);
  try {
    const answer = await fetch(`v1/auth/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      redirect: 'error',
    });
    if (answer.ok) done();
    else await showProblem(answer);
  } catch {
    // Failure policy: whatever kept the answer away, the reader may try again; a token that was used after all says so then.
    tell(texts.unreachable);
  } finally {
    setBusy(false);
  }
}

async function showProblem(answer: Response): Promise<void> {
  const { code, title, detail } = (await answer.json()) as { code: string; title: string; detail: string };
  if (code === 'INVALID_RESET_TOKEN') showDead(texts.usedTitle, texts.used);
  else if (code === 'PASSWORD_REQUIRED') showAsk();
  else if (answer.status === 429) tell(fill(texts.tooMany, 'seconds', answer.headers.get('retry-after') ?? '60'));
  else if (answer.status >= 500) tell(texts.unreachable);
  else tell(fill(texts.refused, 'reason', detail || title));
}

/** In whichever form is shown. */
function tell(problem: string): void {
  for (const id of ['problem', 'join-problem']) find(id, HTMLParagraphElement).textContent = problem;
}

const fill = (text: string, name: string, value: string): string => text.replace(`{${name}}`, () => value);

/** A button that is disabled would lose the focus, so it only says that it is busy. */
function setBusy(next: boolean): void {
  busy = next;
  for (const button of [save, accept]) button.setAttribute('aria-disabled', String(next));
  save.textContent = next ? texts.saving : texts.save;
  accept.textContent = next ? texts.accepting : texts.accept;
}

function showTyped(visible: boolean): void {
  show.checked = visible;
  for (const field of [password, again]) field.type = visible ? 'text' : 'password';
}

document.documentElement.lang = lang;
for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
  element.textContent = texts[element.dataset['text'] as keyof Texts];
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
join.addEventListener('submit', (event) => {
  event.preventDefault();
  void submitJoin();
});
find('choose', HTMLButtonElement).addEventListener('click', showAsk);
show.addEventListener('change', () => showTyped(show.checked));
for (const field of [password, again]) field.addEventListener('input', () => mark(field, ''));
// A second link opened in the same tab changes nothing but the part behind the #.
addEventListener('hashchange', open);
document.querySelector('main')?.removeAttribute('hidden');
open();
