/** The choice of what a key may do: a row for each resource, and shortcuts for what is chosen most. */
import { useId, type ReactElement } from 'react';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import styles from './api-keys.module.css';
import { RESOURCE_NAMES, type Resource } from '../../texts/resources.ts';
import { ACTIONS, ASSISTANT, holds, listRights, RESOURCES, type Right } from './scopes.ts';
import { API_KEYS } from './texts.ts';

interface RightsFieldProps {
  rights: ReadonlySet<Right>;
  onChange(rights: ReadonlySet<Right>): void;
  error: string | null;
}

export function RightsField({ rights, onChange, error }: RightsFieldProps): ReactElement {
  const texts = useTexts(API_KEYS);
  const id = useId();
  const { scopes } = useSession();
  const all = [...listRights(scopes)];
  const choose = (chosen: readonly Right[]) => () => onChange(new Set(chosen));
  return (
    <fieldset className={styles['rights']} aria-describedby={`${id}-error`}>
      <legend>{texts.rights}</legend>
      <div className={styles['shortcuts']}>
        <Button onClick={choose(all.filter((right) => right.endsWith(':read')))}>{texts.readOnly}</Button>
        <Button onClick={choose(all.filter((right) => ASSISTANT.includes(right)))}>{texts.assistant}</Button>
        <Button onClick={choose(all)}>{texts.everything}</Button>
        <Button onClick={choose([])}>{texts.nothingChosen}</Button>
      </div>
      <p id={`${id}-error`} className={styles['error']} role="alert">
        {error}
      </p>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{texts.resource}</th>
            {ACTIONS.map((action) => (
              <th key={action} scope="col">
                {texts[action]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {RESOURCES.map((resource) => (
            <RightsRow key={resource} {...{ resource, rights, onChange }} />
          ))}
        </tbody>
      </table>
      {!scopes.includes('*') && <p className={styles['soft']}>{texts.notYours}</p>}
    </fieldset>
  );
}

type RightsRowProps = Omit<RightsFieldProps, 'error'> & { resource: Resource };

function RightsRow({ resource, rights, onChange }: RightsRowProps): ReactElement {
  const texts = useTexts(API_KEYS);
  const names = useTexts(RESOURCE_NAMES);
  const { scopes } = useSession();
  return (
    <tr>
      <th scope="row">{names[resource]}</th>
      {ACTIONS.map((action) => {
        const right: Right = `${resource}:${action}`;
        const without = [...rights].filter((each) => each !== right);
        return (
          <td key={action}>
            <input
              type="checkbox"
              aria-label={`${names[resource]}: ${texts[action]}`}
              checked={rights.has(right)}
              disabled={!holds(scopes, resource, action)}
              onChange={({ target }) => onChange(new Set(target.checked ? [...without, right] : without))}
            />
          </td>
        );
      })}
    </tr>
  );
}
