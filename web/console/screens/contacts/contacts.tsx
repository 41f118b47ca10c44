/** The contacts of the company: their list, the page of each, and imports of sheets. */
import type { ReactElement } from 'react';
import { Route, Switch } from 'wouter';
import { ContactPage } from './contact-page.tsx';
import { ContactList } from './contact-list.tsx';
import { ImportList } from './import/import-list.tsx';
import { ImportPage } from './import/import-page.tsx';

export function ContactsScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/import">
        <ImportList />
      </Route>
      <Route path="/import/:id">{({ id }) => <ImportPage id={id} />}</Route>
      <Route path="/:id">{({ id }) => <ContactPage key={id} id={id} />}</Route>
      <Route>
        <ContactList />
      </Route>
    </Switch>
  );
}
