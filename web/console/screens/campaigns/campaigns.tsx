/** The campaigns of the company: their list, and the page of each. */
import type { ReactElement } from 'react';
import { Route, Switch } from 'wouter';
import { CampaignList } from './campaign-list.tsx';
import { CampaignPage } from './report/campaign-page.tsx';

export function CampaignsScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
      <Route>
        <CampaignList />
      </Route>
    </Switch>
  );
}
