/** A small choice of emoji; whoever wants others uses the keyboard of the system. */
import { Popover } from '@base-ui/react/popover';
import { useRef, useState, type ComponentProps, type ReactElement, type RefObject } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import styles from './emoji.module.css';
import { THREAD } from './texts.ts';

const EMOJI = [
  '😀 😃 😄 😁 😅 😂 🙂 😉 😊 😍 😘 😎 🤔 😐 😴 😢 😭 😡 😱',
  '👍 👎 👌 🙏 👏 💪 🤝 👋 ✌️ 🤞 ❤️ 💚 💙 💛 💔 ⭐ 🔥 🎉 🎁',
  '✅ ❌ ❗ ❓ ⏰ 📅 📌 📎 📷 📞 📍 🚚 📦 💳 💰 🛒 🏠 🚗 ☕',
].flatMap((row) => row.split(' '));

interface EmojiChoiceProps {
  /** The field that has the focus afterwards. */
  area: RefObject<HTMLElement | null>;
  onChoose(emoji: string): void;
}

export function EmojiChoice({ area, onChoose }: EmojiChoiceProps): ReactElement {
  const texts = useTexts(THREAD);
  const [isOpen, open] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger render={<IconButton icon="emoji" label={texts.emoji} />} />
      <EmojiPopup
        label={texts.emoji}
        finalFocus={area}
        onChoose={onChoose}
        onType={() => {
          // Somebody who goes on writing did not want an emoji.
          open(false);
          area.current?.focus();
        }}
      />
    </Popover.Root>
  );
}

interface EmojiPopupProps {
  label: string;
  /** What the popup is placed at, if it has no button of its own. */
  anchor?: ComponentProps<typeof Popover.Positioner>['anchor'];
  finalFocus: ComponentProps<typeof Popover.Popup>['finalFocus'];
  onChoose(emoji: string): void;
  /** The user types instead of choosing. */
  onType?(): void;
}

export function EmojiPopup({ label, anchor, finalFocus, onChoose, onType }: EmojiPopupProps): ReactElement {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Popover.Portal>
      <Popover.Positioner side="top" sideOffset={6} anchor={anchor} className={styles['positioner']}>
        <Popover.Popup
          ref={popup}
          className={styles['choice']}
          aria-label={label}
          initialFocus={popup}
          finalFocus={finalFocus}
          onKeyDown={({ key, target, currentTarget }) => key.length === 1 && target === currentTarget && onType?.()}
        >
          {EMOJI.map((emoji) => (
            <Popover.Close key={emoji} className={styles['emoji']} onClick={() => onChoose(emoji)}>
              {emoji}
            </Popover.Close>
          ))}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  );
}
