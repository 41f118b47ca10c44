/**
 * The page behind a mailed link. `/set-password#token=…` sets a new password; with `&accept` it accepts an invitation and keeps the
 * password that the person already has. An invitation greets the person, and a person who chooses a password with it is logged in.
 */
import { chooseTexts, type Texts } from './texts.ts';

// The fewest and the most characters of a password, as POST /v1/auth/reset-password counts them: in characters, not in UTF-16 units.
const LEAST = 8;
const MOST = 128;

function getElement<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

const form = getElement('ask', HTMLFormElement);
const password = getElement('password', HTMLInputElement);
const again = getElement('again', HTMLInputElement);
const show = getElement('show', HTMLInputElement);
const save = getElement('save', HTMLButtonElement);
const join = getElement('join', HTMLFormElement);
const accept = getElement('accept', HTMLButtonElement);
const choose = getElement('choose', HTMLButtonElement);
const { lang, texts } = chooseTexts(navigator.languages);

/** Whom a link is for, as POST /v1/auth/read-link says. */
interface LinkFacts {
  invitation: boolean;
  company: string;
  company_name: string;
  name: string;
  email: string;
  has_password?: boolean;
}

/** The page shows its form without a greeting if the platform has not said within this time whom the link is for. */
const PATIENCE_MS = 5_000;

/** The token of the link. Only this variable holds it: neither the address bar nor the history nor any storage keeps it. */
let token = '';
let busy = false;
/** Whom the invitation is for; null for a forgotten password, and while it is not known. */
let invited: LinkFacts | null = null;

async function openLink(): Promise<void> {
  const given = takeFragment();
  const opened = given.get('token') ?? '';
  token = opened;
  invited = null;
  if (token === '') return showUnusableLink(texts.emptyTitle, texts.empty);
  const facts = await readLink();
  // Another link was opened meanwhile.
  if (token !== opened) return;
  invited = facts?.invitation ? facts : null;
  greet();
  if (given.has('accept')) showInvitation();
  else showPasswordForm();
}

/** Failure policy: the page works without a greeting, and a link that is no longer valid is refused when it is used. */
async function readLink(): Promise<LinkFacts | null> {
  try {
    const answer = await post('read-link', { token }, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok ? ((await answer.json()) as LinkFacts) : null;
  } catch {
    return null;
  }
}

/** Writes the titles of both forms: those of an invitation name the company and the person. */
function greet(): void {
  const isKnown = invited?.has_password === true;
  setHead('ask', invited && !isKnown ? [texts.welcomeTitle, texts.welcomeLead] : [texts.title, texts.lead]);
  const joinLead = isKnown ? texts.joinKnownLead : texts.joinShownLead;
  setHead('join', invited ? [texts.joinKnownTitle, joinLead] : [texts.joinTitle, texts.joinLead]);
  // A link that the inviting user has seen sets no password of a person who has one.
  choose.hidden = invited !== null && !isKnown;
}

function setHead(part: 'ask' | 'join', head: readonly [title: string, lead: string]): void {
  const elements = document.querySelectorAll(`#${part} > h1, #${part} > h1 + p`);
  for (const [index, text] of head.entries()) {
    const element = elements[index];
    if (element) element.textContent = fillFacts(text);
  }
}

const fillFacts = (text: string): string =>
  Object.entries({ company: invited?.company_name, name: invited?.name, email: invited?.email }).reduce(
    (filled, [name, value]) => fillPlaceholder(filled, name, value ?? ''),
    text,
  );

/** Reads the parameters after the # of the address, and removes them from the address at once. */
function takeFragment(): URLSearchParams {
  const given = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
  return given;
}

function showPasswordForm(): void {
  showPart('ask');
  password.focus();
}

/**
 * Shows the button that accepts an invitation. The page accepts nothing before the reader clicks, because mail programs open links by
 * themselves.
 */
function showInvitation(): void {
  showPart('join');
  accept.focus();
}

function showPart(id: 'ask' | 'join' | 'done' | 'dead'): void {
  for (const part of document.querySelectorAll<HTMLElement>('main > *')) part.hidden = part.id !== id;
  document.title = `${document.querySelector(`#${id} h1`)?.textContent ?? ''} · Parley`;
}

function showUnusableLink(title: string, reason: string): void {
  getElement('dead-title', HTMLHeadingElement).textContent = title;
  getElement('dead-reason', HTMLParagraphElement).textContent = reason;
  showPart('dead');
  getElement('dead', HTMLElement).focus();
}

function showDone(title: string, text: string): void {
  form.reset();
  getElement('done-title', HTMLHeadingElement).textContent = title;
  getElement('done-text', HTMLParagraphElement).textContent = text;
  showPart('done');
  getElement('done', HTMLElement).focus();
}

/** Shows an error below a field; an empty text removes the error. */
function showFieldError(field: HTMLInputElement, error: string): void {
  getElement(`${field.id}-error`, HTMLParagraphElement).textContent = error;
  if (error) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}

/** Checks the form. Returns false and focuses the first wrong field when the form cannot be sent. */
function checkForm(): boolean {
  const length = Array.from(password.value).length;
  showFieldError(password, length < LEAST ? texts.tooShort : length > MOST ? texts.tooLong : '');
  showFieldError(again, again.value === password.value ? '' : texts.different);
  const wrong = [password, again].find((field) => field.hasAttribute('aria-invalid'));
  wrong?.focus();
  return !wrong;
}

async function submitPassword(): Promise<void> {
  showProblemText('');
  if (busy || !checkForm()) return;
  // The fields become password fields again, because a browser offers to store only the text of a password field.
  setPasswordsVisible(false);
  await send('reset-password', { token, new_password: password.value }, async () => {
    if (invited && (await logIn(invited))) return location.assign('console');
    showDone(texts.doneTitle, invited && invited.has_password !== true ? texts.doneNew : texts.done);
  });
}

/**
 * Logs in with the password that was just chosen. Returns false where the log-in page has to do it, such as for a second factor. Failure
 * policy: the password is saved, so the person logs in by hand.
 */
async function logIn({ email, company }: LinkFacts): Promise<boolean> {
  try {
    const body = { email, password: password.value, company };
    return (await post('session', body, { credentials: 'same-origin' })).ok;
  } catch {
    return false;
  }
}

function submitAcceptance(): Promise<void> {
  return send('accept-invitation', { token }, () => showDone(texts.joinedTitle, texts.joined));
}

async function send(operation: string, body: object, done: () => void | Promise<void>): Promise<void> {
  if (busy) return;
  showProblemText('');
  setBusy(true);
  try {
    const answer = await post(operation, body);
    if (answer.ok) await done();
    else await showProblem(answer);
  } catch {
    // Failure policy: when no answer arrived, the reader may try again; a token that was used after all is then answered as used.
    showProblemText(texts.unreachable);
  } finally {
    setBusy(false);
  }
}

const post = (operation: string, body: object, options: RequestInit = {}): Promise<Response> =>
  fetch(`v1/auth/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
    redirect: 'error',
    ...options,
  });

async function showProblem(answer: Response): Promise<void> {
  const { code, title, detail } = (await answer.json()) as { code: string; title: string; detail: string };
  if (code === 'INVALID_RESET_TOKEN') showUnusableLink(texts.usedTitle, texts.used);
  else if (code === 'PASSWORD_REQUIRED') showPasswordForm();
  else if (answer.status === 429)
    showProblemText(fillPlaceholder(texts.tooMany, 'seconds', answer.headers.get('retry-after') ?? '60'));
  else if (answer.status >= 500) showProblemText(texts.unreachable);
  else showProblemText(fillPlaceholder(texts.refused, 'reason', detail || title));
}

/** Shows a problem in the form that is visible. */
function showProblemText(problem: string): void {
  for (const id of ['problem', 'join-problem']) getElement(id, HTMLParagraphElement).textContent = problem;
}

const fillPlaceholder = (text: string, name: string, value: string): string => text.replace(`{${name}}`, () => value);

/** Marks both buttons as busy with aria-disabled, because a disabled button would lose the focus. */
function setBusy(next: boolean): void {
  busy = next;
  for (const button of [save, accept]) button.setAttribute('aria-disabled', String(next));
  save.textContent = next ? texts.saving : texts.save;
  accept.textContent = next ? texts.accepting : texts.accept;
}

function setPasswordsVisible(visible: boolean): void {
  show.checked = visible;
  for (const field of [password, again]) field.type = visible ? 'text' : 'password';
}

document.documentElement.lang = lang;
for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
  element.textContent = texts[element.dataset['text'] as keyof Texts];
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submitPassword();
});
join.addEventListener('submit', (event) => {
  event.preventDefault();
  void submitAcceptance();
});
choose.addEventListener('click', showPasswordForm);
show.addEventListener('change', () => setPasswordsVisible(show.checked));
for (const field of [password, again]) field.addEventListener('input', () => showFieldError(field, ''));
// When a second link is opened in the same tab, only the part of the address after the # changes.
addEventListener('hashchange', () => void openLink());
document.querySelector('main')?.removeAttribute('hidden');
void openLink();
