/** The button at the edge of a site's page, and the frame with the chat above it. */
import type { Language } from '../../browser/texts.ts';
import type { Side } from '../bridge.ts';
import { chooseTextColor, readColor } from '../../browser/colors.ts';
import { STYLES } from './styles.ts';
import { LAUNCHER } from './texts.ts';

export interface LauncherLook {
  color: string;
  position: Side;
  language: Language;
  unread: number;
  isOpen: boolean;
}

export interface Launcher {
  show(look: LauncherLook): void;
  /** Puts the chat into a new frame, which stays invisible until the chat is opened. */
  addFrame(address: string): HTMLIFrameElement;
  /** True when the keyboard is in the launcher or in the frame. */
  hasFocus(): boolean;
  focus(): void;
}

const ICONS = { talk: 'M4 5h16v11H10l-5 4v-4H4zM8 9h8M8 12h5', down: 'M6 9l6 6 6-6' };

interface LauncherHandlers {
  onPress(): void;
  /** The visitor is about to open the chat. */
  onApproach(): void;
  onEscape(): void;
}

/** Adds the launcher to the page. Everything has a fixed place, so nothing of the page moves. */
export function addLauncher({ onPress, onApproach, onEscape }: LauncherHandlers): Launcher {
  const host = document.createElement('parley-chat');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  root.adoptedStyleSheets = [sheet];
  const box = document.createElement('div');
  const button = document.createElement('button');
  const badge = document.createElement('span');
  button.type = 'button';
  button.className = 'launcher';
  badge.className = 'badge';
  // The label of the button names the count.
  badge.ariaHidden = 'true';
  button.append(drawIcon('talk'), drawIcon('down'), badge);
  button.addEventListener('click', onPress);
  button.addEventListener('pointerenter', onApproach);
  button.addEventListener('focus', onApproach);
  button.addEventListener('keydown', ({ key }) => key === 'Escape' && onEscape());
  box.append(button);
  root.append(box);
  // Beside the body, it stays where it is when a program of the site renders the body anew.
  document.documentElement.append(host);
  return {
    show: ({ color, position, language, unread, isOpen }) => {
      const texts = LAUNCHER[language];
      const ground = readColor(color);
      host.style.setProperty('--parley-color', ground);
      host.style.setProperty('--parley-on-color', chooseTextColor(ground));
      box.className = `${position === 'LEFT' ? 'left' : ''} ${isOpen ? 'open' : ''}`;
      badge.textContent = unread === 0 ? '' : String(Math.min(unread, 99));
      button.ariaExpanded = String(isOpen);
      button.ariaLabel = isOpen ? texts.close : unread === 0 ? texts.open : texts.unread(unread);
      const frame = box.querySelector('iframe');
      if (frame) frame.title = texts.chat;
    },
    addFrame: (address) => {
      const frame = document.createElement('iframe');
      frame.allow = 'microphone; fullscreen; clipboard-write';
      frame.src = address;
      // In front of the button in the order of the keyboard as on the screen.
      box.prepend(frame);
      return frame;
    },
    hasFocus: () => document.activeElement === host,
    focus: () => button.focus(),
  };
}

/** Builds the icon element by element, because a site may forbid HTML that comes as text. */
function drawIcon(name: keyof typeof ICONS): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const icon = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  icon.setAttribute('class', name);
  path.setAttribute('d', ICONS[name]);
  icon.append(path);
  return icon;
}
