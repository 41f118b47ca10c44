/** The chat on a site's page: opens and closes the frame, and carries words between the page and the frame. */
import { findLanguage, type Language } from '../../browser/texts.ts';
import type { FrameWord, NewMessage, VisitedPage } from '../bridge.ts';
import { createFrame, type Frame } from './frame.ts';
import { addLauncher, type Launcher, type LauncherLook } from './launcher.ts';
import { keepMemory, readMemory, type Memory } from './memory.ts';

export interface ChatEvents {
  /** The company has written. */
  message: NewMessage;
  open: undefined;
  close: undefined;
  /** The number of messages that the visitor has not read. */
  unread: number;
}

export interface ChatOptions {
  /** The address of the platform, with a slash at its end. */
  platform: string;
  inbox: string;
  color: string | undefined;
  position: string | undefined;
  language: string | undefined;
  emit<Name extends keyof ChatEvents>(name: Name, value: ChatEvents[Name]): void;
}

export interface Chat {
  open(): void;
  close(): void;
  identify(identity: string): void;
  reset(): void;
  setLanguage(code: string): void;
}

interface Parts {
  options: ChatOptions;
  memory: Memory;
  launcher: Launcher;
  frame: Frame;
  isOpen: boolean;
  /** The keyboard moves into the chat. */
  takesFocus: boolean;
  unread: number;
  /** What the site has chosen. */
  language: Language | undefined;
  /** What the frame hears as soon as it is ready. */
  identity: string | null;
  isReset: boolean;
}

export function startChat(options: ChatOptions): Chat {
  const parts: Parts = {
    options,
    memory: readMemory(options.inbox),
    launcher: addLauncher({
      onPress: () => (parts.isOpen ? close(parts) : open(parts)),
      onApproach: () => addFrame(parts),
      onEscape: () => close(parts),
    }),
    frame: createFrame({
      ...options,
      insert: (address) => parts.launcher.addFrame(address),
      onWord: (word) => hear(parts, word),
      onFailure: () => close(parts),
    }),
    isOpen: false,
    takesFocus: false,
    unread: 0,
    language: findLanguage([options.language]),
    identity: null,
    isReset: false,
  };
  const { frame, memory } = parts;
  followPage(() => frame.post({ parley: 'page', page: describePage() }));
  show(parts);
  // Only a browser with a visitor can have unread messages.
  if (memory.isKnown === true) addFrame(parts);
  return {
    open: () => open(parts),
    close: () => close(parts),
    identify: (identity) => {
      if (frame.isReady()) frame.post({ parley: 'identify', identity });
      else parts.identity = identity;
      addFrame(parts);
    },
    reset: () => {
      if (frame.isReady()) return frame.post({ parley: 'reset' });
      [parts.identity, parts.isReset] = [null, true];
      if (memory.isKnown === true) addFrame(parts);
    },
    setLanguage: (code) => {
      const language = findLanguage([code]);
      if (!language) return;
      parts.language = language;
      show(parts);
      frame.post({ parley: 'language', language });
    },
  };
}

function show({ options, memory, launcher, language, unread, isOpen }: Parts): void {
  const look: LauncherLook = {
    color: memory.color ?? options.color ?? '',
    position: memory.position ?? (options.position?.toUpperCase() === 'LEFT' ? 'LEFT' : 'RIGHT'),
    language: language ?? findLanguage([memory.language, ...navigator.languages]) ?? 'en',
    unread,
    isOpen,
  };
  launcher.show(look);
}

function addFrame(parts: Parts): void {
  parts.frame.add();
  show(parts);
}

function open(parts: Parts): void {
  if (parts.isOpen) return;
  parts.isOpen = true;
  // A chat that a program opens while nobody uses the page leaves the keyboard where it is.
  parts.takesFocus = navigator.userActivation?.isActive ?? true;
  addFrame(parts);
  if (parts.frame.isReady()) showOpened(parts);
  parts.options.emit('open', undefined);
}

function showOpened({ frame, takesFocus }: Parts): void {
  if (takesFocus) frame.focus();
  frame.post({ parley: 'open', takesFocus });
}

function close(parts: Parts): void {
  if (!parts.isOpen) return;
  parts.isOpen = false;
  const hadFocus = parts.launcher.hasFocus();
  show(parts);
  parts.frame.post({ parley: 'close' });
  if (hadFocus) parts.launcher.focus();
  parts.options.emit('close', undefined);
}

function hear(parts: Parts, word: FrameWord): void {
  const { options, frame, isOpen, identity, isReset } = parts;
  switch (word.parley) {
    case 'ready':
      [parts.identity, parts.isReset] = [null, false];
      frame.post({
        parley: 'hello',
        isOpen,
        identity,
        isReset,
        language: parts.language ?? null,
        page: describePage(),
      });
      return isOpen ? showOpened(parts) : undefined;
    case 'settings':
      return remember(parts, { color: word.color, position: word.position, language: word.language });
    case 'visitor':
      return remember(parts, { isKnown: word.isKnown });
    case 'unread':
      if (word.count === parts.unread) return undefined;
      parts.unread = word.count;
      show(parts);
      return options.emit('unread', word.count);
    case 'message':
      return options.emit('message', word.message);
    case 'close':
      return close(parts);
  }
}

function remember(parts: Parts, change: Memory): void {
  keepMemory(parts.options.inbox, Object.assign(parts.memory, change));
  show(parts);
}

const MOST_URL_CHARACTERS = 2_048;
const MOST_TITLE_CHARACTERS = 300;

function describePage(): VisitedPage {
  // What stands behind the # often belongs to the program of the site, such as a token.
  const [url = ''] = location.href.split('#', 1);
  return { url: url.slice(0, MOST_URL_CHARACTERS), title: document.title.slice(0, MOST_TITLE_CHARACTERS) };
}

/** Hears of it when a program of the site changes the address without loading another page. */
function followPage(onChange: () => void): void {
  const { navigation } = globalThis as { navigation?: EventTarget };
  // The title follows the address in most programs.
  const wait = (): void => void setTimeout(onChange);
  (navigation ?? globalThis).addEventListener(navigation ? 'currententrychange' : 'popstate', wait);
}
