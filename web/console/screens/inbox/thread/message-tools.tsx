/** The buttons of a message, and where their menu opens. */
import type { Message } from '@parley/sdk';
import { Suspense, useEffect, type MouseEvent, type ReactElement } from 'react';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { lazyPart, LoadingDialog } from '../../../ui/lazy-part.tsx';
import { closeMessageMenu, openMessageMenu, useAskedMenu, type AskedMenu } from './message-menu-place.ts';
import styles from './message.module.css';
import { isKnown, useMayReact } from './reactions.ts';
import { askToRevoke, RevokeQuestion } from './revoking.tsx';
import { THREAD } from './texts.ts';

const MessageMenu = lazyPart(async () => (await import('./message-menu.tsx')).MessageMenu);

export function MessageMenuPlace(): ReactElement {
  const asked = useAskedMenu();
  useEffect(
    () => () => {
      closeMessageMenu();
      askToRevoke(null);
    },
    [],
  );
  return (
    <>
      {asked !== null && (
        <Suspense fallback={<LoadingDialog onClose={closeMessageMenu} />}>
          <MessageMenu />
        </Suspense>
      )}
      <RevokeQuestion />
    </>
  );
}

interface MessageToolsProps {
  message: Message;
  reaction: string | null;
  onReply: ((message: Message) => void) | null;
}

export function MessageTools({ message, reaction, onReply }: MessageToolsProps): ReactElement {
  const texts = useTexts(THREAD);
  const mayWrite = useMay('messages:create');
  const mayReact = useMayReact(message) && onReply !== null;
  // A press by a key is a click without a number.
  const open = ({ currentTarget: anchor, detail }: MouseEvent, isReaction: boolean): void =>
    openMessageMenu({ message, anchor, reaction, isReaction, isByKey: detail === 0, onReply });
  return (
    <div className={styles['tools']}>
      {mayReact && (
        // The menu has the same for those who use the keyboard.
        <IconButton icon="emoji" label={texts.react} tabIndex={-1} onClick={(event) => open(event, true)} />
      )}
      {mayWrite && onReply && isKnown(message) && (
        <IconButton icon="reply" label={texts.answer} onClick={() => onReply(message)} />
      )}
      <IconButton icon="more" label={texts.actions} aria-haspopup="menu" onClick={(event) => open(event, false)} />
    </div>
  );
}

/** Opens the menu by the context key, or by a right click where nothing else has a menu of its own. */
export function openByContext(
  event: MouseEvent<HTMLElement>,
  menu: Omit<AskedMenu, 'anchor' | 'isReaction' | 'isByKey'>,
): void {
  const { target, currentTarget, button, clientX, clientY, shiftKey, nativeEvent } = event;
  const isTouch = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch';
  const isForeign = (target as Element).closest('a, audio, video, input') !== null;
  if ((shiftKey && button !== 0) || isTouch || isForeign || !(getSelection()?.isCollapsed ?? true)) return;
  event.preventDefault();
  const isKey = button === 0;
  const at = { getBoundingClientRect: () => new DOMRect(clientX, clientY, 0, 0) };
  openMessageMenu({ ...menu, anchor: isKey ? currentTarget : at, isReaction: false, isByKey: isKey });
}
