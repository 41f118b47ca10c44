/** A menu of actions below a button, or at another place. */
import { Menu as Base } from '@base-ui/react/menu';
import { useRef, type FocusEvent, type ReactElement, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  key: string;
  label: string;
  icon?: IconName;
  /** How many records there are behind the item. */
  count?: string | null;
  isChosen?: boolean;
  isDangerous?: boolean;
  /** What stands above this item and those behind it. */
  heading?: string;
  onSelect(): void;
}

/** An item that opens further ones. */
export interface Submenu extends Pick<MenuItem, 'key' | 'label'> {
  items: readonly MenuItem[];
}

interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement<Record<string, unknown>>;
  items: readonly (MenuItem | Submenu)[];
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
            <Items items={items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface PlacedMenuProps extends Pick<MenuProps, 'items' | 'finalFocus'> {
  /** What the menu is placed at. */
  anchor: Element | { getBoundingClientRect(): DOMRect };
  /** The name of the menu for screen readers. */
  label: string;
  /** Items of another shape, above the others. */
  top?: ReactNode;
  /** A key has opened it, so its first item has the focus. */
  isByKey: boolean;
  onClose(): void;
}

/** A menu that is open as long as it is rendered, so that many places can share one. */
export function PlacedMenu({ anchor, label, items, top, isByKey, finalFocus, onClose }: PlacedMenuProps): ReactElement {
  const isEntered = useRef(!isByKey);
  const enter = ({ target, currentTarget }: FocusEvent<HTMLElement>): void => {
    if (isEntered.current || target !== currentTarget) return;
    isEntered.current = true;
    currentTarget.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  };
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} className={styles['positioner']} sideOffset={4} align="start">
          <Base.Popup className={styles['menu']} aria-label={label} finalFocus={finalFocus} onFocus={enter}>
            {top}
            <Items items={items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** An item that shows itself, next to others in a row. */
export const BareMenuItem = ({ className, ...item }: BareMenuItemProps): ReactElement => (
  <Base.Item className={className} {...item} />
);

interface BareMenuItemProps {
  className: string | undefined;
  'aria-label'?: string;
  title?: string;
  'data-chosen'?: boolean;
  disabled?: boolean;
  closeOnClick?: boolean;
  children: ReactNode;
  onClick(): void;
}

const Items = ({ items }: Pick<MenuProps, 'items'>): ReactElement[] =>
  items.map(({ key, ...item }) => ('items' in item ? <Opening key={key} {...item} /> : <Item key={key} {...item} />));

function Opening({ label, items }: Pick<Submenu, 'label' | 'items'>): ReactElement {
  return (
    <Base.SubmenuRoot>
      <Base.SubmenuTrigger className={styles['item']}>
        <span className={styles['label']} dir="auto">
          {label}
        </span>
        {items.some(({ isChosen }) => isChosen) && <Icon name="check" size={16} />}
        <Icon name="forward" size={14} />
      </Base.SubmenuTrigger>
      <Base.Portal>
        <Base.Positioner className={styles['positioner']} alignOffset={-5}>
          <Base.Popup className={styles['menu']}>
            <Items items={items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.SubmenuRoot>
  );
}

function Item({ label, icon, count, isChosen, isDangerous, heading, onSelect }: Omit<MenuItem, 'key'>): ReactElement {
  return (
    <>
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
        {count && <span className={styles['count']}>{count}</span>}
        {isChosen && <Icon name="check" size={16} />}
      </Base.Item>
    </>
  );
}
