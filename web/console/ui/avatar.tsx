import type { ReactElement } from 'react';
import styles from './avatar.module.css';

const HUES = 12;

/** The same name always has the same colour. */
function findHue(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973;
  return sum % HUES;
}

function findInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => /[\p{L}\p{N}]/u.exec(word ?? '')?.[0],
  );
  return letters.join('').toLocaleUpperCase();
}

/** Two letters of a name on a colour of its own. The name stands beside it, so the letters are decoration and no text. */
export function Avatar({ name, size = 'normal' }: { name: string; size?: 'small' | 'normal' }): ReactElement {
  const initials = findInitials(name) || '?';
  return (
    <span
      className={`${styles['avatar']} ${styles[size]}`}
      data-hue={findHue(name)}
      data-initials={initials}
      aria-hidden
    />
  );
}
