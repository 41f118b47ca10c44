/** What can be done with one message: react, reply, copy, forward, delete. */
import { Popover } from '@base-ui/react/popover';
import { useRef, useState, type ReactElement } from 'react';
import { useMayCompose } from '../../../frame/composing.ts';
import { findReturn } from '../../../frame/writing.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { BareMenuItem, PlacedMenu, type MenuItem } from '../../../ui/menu.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import { showNotice } from '../../../ui/toast.tsx';
import { useTranslating } from '../assist/assist.tsx';
import { forward, toForward } from '../compose/forward.ts';
import { EmojiPopup } from './emoji.tsx';
import styles from './message-menu.module.css';
import { closeMessageMenu, useAskedMenu, type AskedMenu } from './message-menu-place.ts';
import { isKnown, isRemovable, react, useMayReact } from './reactions.ts';
import { askToRevoke, useMayRevoke } from './revoking.tsx';
import { THREAD } from './texts.ts';

const COMMON_EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

export function MessageMenu(): ReactElement | null {
  const asked = useAskedMenu();
  return asked && <OpenMenu asked={asked} />;
}

function OpenMenu({ asked }: { asked: AskedMenu }): ReactElement {
  const texts = useTexts(THREAD);
  const { message, anchor, isReaction, isByKey, reaction, onReply } = asked;
  const [isChoosing, choose] = useState(false);
  // The choice of all emoji, which takes the place of the menu, has the focus then.
  const hasFocus = useRef(true);
  const mayReact = useMayReact(message) && onReply !== null;
  const items = useItems(asked);
  const showAll = (): void => {
    hasFocus.current = false;
    choose(true);
  };
  if (isChoosing)
    return (
      <Popover.Root open onOpenChange={(isOpen) => !isOpen && closeMessageMenu()}>
        <EmojiPopup
          label={texts.react}
          anchor={anchor}
          finalFocus={findReturn}
          onChoose={(emoji) => void react(message, emoji)}
        />
      </Popover.Root>
    );
  return (
    <PlacedMenu
      anchor={anchor}
      label={isReaction ? texts.react : texts.actions}
      items={isReaction ? [] : items}
      isByKey={isByKey}
      finalFocus={() => hasFocus.current && findReturn()}
      onClose={closeMessageMenu}
      top={mayReact && <Emoji {...{ message, reaction }} onMore={showAll} />}
    />
  );
}

interface EmojiProps extends Pick<AskedMenu, 'message' | 'reaction'> {
  /** Shows all emoji. */
  onMore(): void;
}

/** The most common emoji. The one that the company has reacted with is taken back, if the network allows it. */
function Emoji({ message, reaction, onMore }: EmojiProps): ReactElement {
  const texts = useTexts(THREAD);
  const shown = reaction === null || COMMON_EMOJI.includes(reaction) ? COMMON_EMOJI : [reaction, ...COMMON_EMOJI];
  return (
    <div className={styles['row']} role="group" aria-label={texts.react}>
      {shown.map((emoji) => {
        const isChosen = emoji === reaction;
        return (
          <BareMenuItem
            key={emoji}
            className={styles['emoji']}
            data-chosen={isChosen}
            disabled={isChosen && !isRemovable(message)}
            aria-label={isChosen && isRemovable(message) ? texts.removeReaction(emoji) : emoji}
            onClick={() => void react(message, isChosen ? null : emoji)}
          >
            {emoji}
          </BareMenuItem>
        );
      })}
      <BareMenuItem
        className={styles['emoji']}
        aria-label={texts.moreEmoji}
        title={texts.moreEmoji}
        closeOnClick={false}
        onClick={onMore}
      >
        <Icon name="plus" size={16} />
      </BareMenuItem>
    </div>
  );
}

function useItems({ message, onReply }: AskedMenu): MenuItem[] {
  const translate = useTranslating(message);
  const texts = useTexts(THREAD);
  const mayWrite = useMay('messages:create');
  const mayCompose = useMayCompose();
  const mayRevoke = useMayRevoke(message) && onReply !== null;
  const { content, revoked_at } = message;
  const forwarded = toForward(message);
  const items: MenuItem[] = [];
  if (mayWrite && onReply && isKnown(message))
    items.push({ key: 'reply', label: texts.answer, icon: 'reply', onSelect: () => onReply(message) });
  if (content && revoked_at === null)
    items.push({
      key: 'copy',
      label: texts.copyText,
      icon: 'copy',
      onSelect: () => void copyText(content).then((isCopied) => isCopied || showNotice(texts.notCopied)),
    });
  if (translate) items.push(translate);
  if (mayCompose && forwarded)
    items.push({ key: 'forward', label: texts.forward, icon: 'redirect', onSelect: () => forward(forwarded) });
  if (mayRevoke)
    items.push({
      key: 'revoke',
      label: texts.revoke,
      icon: 'remove',
      isDangerous: true,
      onSelect: () => askToRevoke(message),
    });
  return items;
}
