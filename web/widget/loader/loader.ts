/**
 * The script that a site loads: `<script async src="https://chat.example.com/widget.js" data-inbox="<id>"></script>`. It makes
 * `window.parley`, adds the launcher when the page has nothing else to do, and reads nothing of the API. Calls that come before it are kept:
 * `(window.parley = window.parley || []).push(['open'])`. The id of the inbox may also stand in the address: `widget.js?inbox=<id>`.
 */
import { startChat, type Chat, type ChatEvents } from './chat.ts';

type Method = keyof ParleyChat;
/** A call as a list of the method and its values, or a function that gets the chat. */
type Call = [method: Method, ...values: unknown[]] | ((chat: ParleyChat) => void);
type Handler<Name extends keyof ChatEvents> = (value: ChatEvents[Name]) => void;

interface ParleyChat extends Chat {
  /** Calls the handler at each event; the result ends that. */
  on<Name extends keyof ChatEvents>(name: Name, handler: Handler<Name>): () => void;
  push(...calls: Call[]): void;
}

const page = globalThis as { parley?: ParleyChat | Call[] };

interface Settings {
  /** The address of this file at the platform. */
  address: string;
  inbox: string;
  read(name: 'color' | 'position' | 'language'): string | undefined;
}

function load({ address, inbox, read }: Settings): void {
  // A script that a page has twice starts one chat.
  if (page.parley && !Array.isArray(page.parley)) return;
  const handlers: { [Name in keyof ChatEvents]: Set<Handler<Name>> } = {
    message: new Set(),
    open: new Set(),
    close: new Set(),
    unread: new Set(),
  };
  let chat: Chat | undefined;
  const start = (): Chat =>
    (chat ??= startChat({
      platform: new URL('.', address).href,
      inbox,
      color: read('color'),
      position: read('position'),
      language: read('language'),
      emit: (name, value) => {
        for (const handle of handlers[name]) callSafely(() => handle(value));
      },
    }));
  const parley: ParleyChat = {
    open: () => start().open(),
    close: () => chat?.close(),
    identify: (identity) => start().identify(identity),
    reset: () => start().reset(),
    setLanguage: (code) => start().setLanguage(code),
    on: (name, handler) => {
      handlers[name].add(handler);
      return () => handlers[name].delete(handler);
    },
    push: (...calls) => {
      for (const call of calls) callSafely(() => runCall(parley, call));
    },
  };
  const early = page.parley ?? [];
  page.parley = parley;
  whenIdle(() => {
    start();
    parley.push(...(early as Call[]));
  });
}

function runCall(parley: ParleyChat, call: Call): void {
  if (typeof call === 'function') return call(parley);
  const [method, ...values] = call;
  (parley[method] as (...given: unknown[]) => unknown)(...values);
}

/** An error in the code of the site is the site's: the page reports it, and the chat goes on. */
function callSafely(run: () => void): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}

/** Runs once the page has loaded and has nothing more urgent to do. */
function whenIdle(run: () => void): void {
  const wait = (): void => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: 2_000 });
    else setTimeout(run, 200);
  };
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}

/** The settings are attributes of a script, or stand in the address of this file. */
function readSetting(script: HTMLScriptElement, name: string): string | undefined {
  const { src } = script;
  return script.getAttribute(`data-${name}`) || (isOurs(src) && new URL(src).searchParams.get(name)) || undefined;
}

const isOurs = (src: string): boolean => /\/widget\.js(?:[?#]|$)/.test(src);

/** Tag managers and modules run this file without naming its script, so all scripts of the page are looked through. */
function findSettings(): Settings | null {
  const scripts = [...document.scripts];
  const current = scripts.find((each) => each === document.currentScript);
  const script = [current, ...scripts].find((each) => each && readSetting(each, 'inbox'));
  // Scripts of others may have the same name, so the one that runs and the one with the settings come first.
  const address = ([current, script, ...scripts].find((each) => each && isOurs(each.src)) ?? script)?.src;
  const inbox = script && readSetting(script, 'inbox');
  return address && inbox ? { address, inbox, read: (name) => readSetting(script, name) } : null;
}

const settings = findSettings();
if (settings) load(settings);
else
  // oxlint-disable-next-line no-console -- the developer of the site looks for the cause here
  console.error(
    'Parley: the chat did not start. Its script needs the id of an inbox: <script async src="…/widget.js" data-inbox="<id>">',
  );
