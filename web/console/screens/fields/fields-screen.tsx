/** Custom fields, and pipelines with their steps. */
import type { ReactElement } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { CustomFieldList } from './custom-field-list.tsx';
import styles from './fields.module.css';
import { PipelineList } from './pipeline-list.tsx';
import { FIELDS, PIPELINES } from './texts.ts';

export function FieldsScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/custom-fields">
        <CustomFieldList parts={<Parts />} />
      </Route>
      <Route path="/pipelines">
        <PipelineList parts={<Parts />} />
      </Route>
      <Route>
        <Redirect to="/custom-fields" replace />
      </Route>
    </Switch>
  );
}

/** Links between the two parts of the screen. */
function Parts(): ReactElement | null {
  const names = useTexts(SCREEN_NAMES);
  const fields = useTexts(FIELDS);
  const pipelines = useTexts(PIPELINES);
  const [location] = useLocation();
  if (!useMay('pipelines:read')) return null;
  const parts = [
    { path: '/custom-fields', name: fields.customFields },
    { path: '/pipelines', name: pipelines.pipelines },
  ];
  return (
    <nav className={styles['parts']} aria-label={names.fields}>
      {parts.map(({ path, name }) => (
        <Link key={path} href={path} className={styles['part']} aria-current={location === path ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
