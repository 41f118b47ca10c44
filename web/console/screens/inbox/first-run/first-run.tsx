/** The checklist of a new company: the steps until customers and colleagues can write here. */
import { useEffect, type ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../client.ts';
import { compose } from '../../../frame/composing.ts';
import { useSession } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useIsPhone } from '../../../ui/narrow.ts';
import { Failure, Loading } from '../../../ui/state.tsx';
import styles from './first-run.module.css';
import { useFirstRun } from './state.ts';
import { useChecklist, type Step } from './steps.ts';
import { FIRST_RUN, STEP_ABOUT, STEP_ACTIONS, STEP_NAMES } from './texts.ts';

/** On a phone it is one line that expands, to keep the conversations in view. */
export function FirstRun(): ReactElement {
  const texts = useTexts(FIRST_RUN);
  const { end } = useFirstRun();
  const isPhone = useIsPhone();
  const { steps, error, reread } = useChecklist();
  const isOver = steps?.every(({ isDone }) => isDone) === true;
  useEffect(() => {
    if (isOver) end();
  });
  if (!steps && error) return <Failure error={error} onRetry={reread} />;
  if (!steps || isOver) return <Loading />;
  const done = texts.of(steps.filter(({ isDone }) => isDone).length, steps.length);
  return (
    <section className={styles['page']} aria-label={texts.title}>
      {isPhone ? (
        <details>
          <summary className={styles['line']}>
            {texts.title}{' '}
            <span className={styles['soft']}>
              {done} <Icon name="down" size={14} />
            </span>
          </summary>
          <Steps steps={steps} done={done} onEnd={end} />
        </details>
      ) : (
        <>
          <h2>{texts.title}</h2>
          <Steps steps={steps} done={done} onEnd={end} />
        </>
      )}
    </section>
  );
}

interface StepsProps {
  steps: readonly Step[];
  /** How many are done, in words. */
  done: string;
  onEnd(): void;
}

function Steps({ steps, done, onEnd }: StepsProps): ReactElement {
  const texts = useTexts(FIRST_RUN);
  const { sandbox } = useSession();
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <>
      <p className={styles['lead']}>{texts.lead}</p>
      <div className={styles['progress']}>
        <progress max={steps.length} value={steps.filter(({ isDone }) => isDone).length} aria-label={texts.progress} />
        <span className={styles['soft']}>{done}</span>
      </div>
      <ol className={styles['steps']}>
        {steps.map((step, index) => (
          <StepItem key={step.name} step={step} number={index + 1} isNext={step === next} />
        ))}
      </ol>
      <footer className={styles['foot']}>
        {sandbox !== null && (
          <p>
            {texts.noNumber}{' '}
            <a href={`${sandbox}/phone`} target="_blank" rel="noreferrer">
              {texts.testPhone}
            </a>
          </p>
        )}
        <Button kind="quiet" onClick={onEnd}>
          {texts.dismiss}
        </Button>
      </footer>
    </>
  );
}

interface StepItemProps {
  step: Step;
  number: number;
  isNext: boolean;
}

function StepItem({ step: { name, isDone, path }, number, isNext }: StepItemProps): ReactElement {
  const texts = useTexts(FIRST_RUN);
  const names = useTexts(STEP_NAMES);
  const about = useTexts(STEP_ABOUT);
  const actions = useTexts(STEP_ACTIONS);
  return (
    <li className={styles['step']} data-done={isDone}>
      <span className={styles['mark']} aria-hidden="true">
        {isDone ? <Icon name="check" size={14} /> : number}
      </span>
      <div>
        <p className={styles['name']}>
          {names[name]}
          {isDone && <span className="unseen"> ({texts.done})</span>}
        </p>
        <p className={styles['soft']}>{about[name]}</p>
      </div>
      {!isDone && path === null && (
        <Button kind={isNext ? 'primary' : 'plain'} onClick={() => compose()}>
          {actions[name]}
        </Button>
      )}
      {!isDone && path !== null && (
        <Link href={toScreen(path)} className={styles['action']} data-next={isNext}>
          {actions[name]}
        </Link>
      )}
    </li>
  );
}
