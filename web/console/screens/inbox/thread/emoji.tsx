/** A small choice of emoji; whoever wants others uses the keyboard of the system. */
import { Popover } from '@base-ui/react/popover';
import { useRef, useState, type ReactElement, type RefObject } from 'react';
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
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, open] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger render={<IconButton icon="emoji" label={texts.emoji} />} />
      <Popover.Portal>
        <Popover.Positioner side="top" sideOffset={6} className={styles['positioner']}>
          <Popover.Popup
            ref={popup}
            className={styles['choice']}
            aria-label={texts.emoji}
            initialFocus={popup}
            finalFocus={area}
            onKeyDown={({ key, target, currentTarget }) => {
              // Somebody who goes on writing did not want an emoji.
              if (key.length !== 1 || target !== currentTarget) return;
              open(false);
              area.current?.focus();
            }}
          >
            {EMOJI.map((emoji) => (
              <Popover.Close key={emoji} className={styles['emoji']} onClick={() => onChoose(emoji)}>
                {emoji}
              </Popover.Close>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
