/** The rules of the company: their list, and the form of each with a dry run and what it has done. */
import { isParleyError } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Route, Switch } from 'wouter';
import { useRule } from '../../records/rules.ts';
import { useTexts } from '../../texts/texts.ts';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { RuleEditor } from './rule-editor.tsx';
import { RuleList } from './rule-list.tsx';
import { RULES } from './texts.ts';

export function RulesScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/new">
        <RuleEditor rule={null} />
      </Route>
      <Route path="/:id">{({ id }) => <RulePage key={id} id={id} />}</Route>
      <Route>
        <RuleList />
      </Route>
    </Switch>
  );
}

/** The form of one rule, as soon as the rule was read. */
function RulePage({ id }: { id: string }): ReactElement {
  const texts = useTexts(RULES);
  const { data: rule, error } = useRule(id);
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="automation" title={texts.noRule} />;
  if (error) return <Failure error={error} />;
  return rule ? <RuleEditor rule={rule} /> : <Loading />;
}
