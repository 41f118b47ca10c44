/** The agents of the company: their list, and the form of each with a place to try it. */
import type { ReactElement } from 'react';
import { Route, Switch } from 'wouter';
import { AgentEditor } from './agent-editor.tsx';
import { AgentList } from './agent-list.tsx';
import { AgentPage } from './agent-page.tsx';

export function AgentsScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/new">
        <AgentEditor agent={null} />
      </Route>
      <Route path="/:id">{({ id }) => <AgentPage key={id} id={id} />}</Route>
      <Route>
        <AgentList />
      </Route>
    </Switch>
  );
}
