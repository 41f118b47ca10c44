import { useState, type ReactElement } from 'react';
import { toFileAddress } from '../client.ts';
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

interface AvatarProps {
  name: string;
  /** The address of a picture of the person. */
  picture?: string | null;
  size?: 'small' | 'normal';
}

/**
 * The picture of a person, or two letters of the name on a colour of its own. The name stands beside it, so both are decoration and no
 * text. The page may load pictures of the platform alone; a picture of another host, or one that is gone, leaves the letters.
 */
export function Avatar({ name, picture = null, size = 'normal' }: AvatarProps): ReactElement {
  const [broken, setBroken] = useState<string | null>(null);
  const initials = findInitials(name) || '?';
  if (picture?.includes('/files/') && picture !== broken)
    return (
      <img
        className={`${styles['avatar']} ${styles[size]} ${styles['picture']}`}
        src={toFileAddress(picture)}
        alt=""
        onError={() => setBroken(picture)}
      />
    );
  return (
    <span
      className={`${styles['avatar']} ${styles[size]}`}
      data-hue={findHue(name)}
      data-initials={initials}
      aria-hidden
    />
  );
}
