/** What the company knows: its texts and files, the page of each, and a search that shows what is found in them. */
import type { ReactElement } from 'react';
import { Route, Switch } from 'wouter';
import { ItemList } from './item-list.tsx';
import { ItemPage } from './item-page.tsx';
import { PassageSearch } from './passage-search.tsx';
import { TextEditor } from './text-editor.tsx';

export function KnowledgeScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/new">
        <TextEditor item={null} />
      </Route>
      <Route path="/search">
        <PassageSearch />
      </Route>
      <Route path="/:id">{({ id }) => <ItemPage key={id} id={id} />}</Route>
      <Route>
        <ItemList />
      </Route>
    </Switch>
  );
}
