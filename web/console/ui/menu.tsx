/** A menu of actions below a button. */
import { Menu as Base } from '@base-ui/react/menu';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  key: string;
  label: string;
  icon?: IconName;
  isChosen?: boolean;
  isDangerous?: boolean;
  /** What stands above this item and those behind it. */
  heading?: string;
  onSelect(): void;
}

interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement<Record<string, unknown>>;
  items: readonly MenuItem[];
  /** What stands above the items. */
  title?: ReactNode;
  /** Where the focus goes when the menu closes; to the button when this is missing or returns true, and nowhere with false. */
  finalFocus?: (() => HTMLElement | boolean) | undefined;
}

export function Menu({ trigger, items, title, finalFocus }: MenuProps): ReactElement {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles['positioner']} sideOffset={4} align="start">
          <Base.Popup className={styles['menu']} finalFocus={finalFocus}>
            {title && (
              <div className={styles['title']} dir="auto">
                {title}
              </div>
            )}
            {items.map(({ key, label, icon, isChosen, isDangerous, heading, onSelect }) => (
              <Fragment key={key}>
                {heading !== undefined && (
                  <div className={styles['title']} dir="auto">
                    {heading}
                  </div>
                )}
                <Base.Item className={`${styles['item']} ${isDangerous ? styles['danger'] : ''}`} onClick={onSelect}>
                  {icon && <Icon name={icon} size={16} />}
                  <span className={styles['label']} dir="auto">
                    {label}
                  </span>
                  {isChosen && <Icon name="check" size={16} />}
                </Base.Item>
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
