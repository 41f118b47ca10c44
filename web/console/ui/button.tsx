import type { ButtonHTMLAttributes, ReactElement, Ref } from 'react';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';

type NativeButton = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'>;

interface ButtonProps extends NativeButton {
  /**
   * `primary` is the main action of a form or dialog; `note` is the main action while the user writes a note; `danger` removes something;
   * `plain` is everything else.
   */
  kind?: 'primary' | 'note' | 'plain' | 'danger' | 'quiet';
  icon?: IconName;
  /** The action is under way: the button shows it and cannot be pressed. */
  isBusy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', icon, isBusy = false, children, ...native }: ButtonProps): ReactElement {
  const disabled = native.disabled === true || isBusy;
  return (
    <button
      type="button"
      {...native}
      disabled={disabled}
      aria-busy={isBusy}
      data-kind={kind}
      className={`${styles['button']} ${styles[kind]}`}
    >
      {icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends NativeButton {
  icon: IconName;
  /** What the button does; shown as its tooltip and read by screen readers. */
  label: string;
  isOn?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, isOn, ...native }: IconButtonProps): ReactElement {
  return (
    <button type="button" title={label} aria-label={label} aria-pressed={isOn} {...native} className={styles['icon']}>
      <Icon name={icon} />
    </button>
  );
}
