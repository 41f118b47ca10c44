/** A person of the company: the picture and the name. */
import type { User } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Avatar } from './avatar.tsx';
import styles from './person.module.css';

export function Person({ user: { name, avatar_url } }: { user: Pick<User, 'name' | 'avatar_url'> }): ReactElement {
  return (
    <span className={styles['person']}>
      <Avatar name={name} picture={avatar_url} size="small" />
      <span className={styles['name']} dir="auto">
        {name}
      </span>
    </span>
  );
}
