/** What an agent has read for an answer, and what the answer has cost. */
import type { AgentTurn } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { formatMilliseconds, formatMoney, formatNumber, formatShare } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Details } from '../details.tsx';
import styles from './agent-work.module.css';
import { AGENT_WORK, FILE_READINGS, HANDOFF_REASONS } from './texts.ts';

/** The passages of a trial have their texts, and those of the log do not. */
type Passage = AgentTurn['passages'][number] & { content?: string };
type Work = { passages: readonly Passage[] } & Pick<
  AgentTurn,
  'actions' | 'files' | 'cost' | 'model' | 'input_tokens' | 'output_tokens' | 'latency_ms'
>;

/** Says in one sentence how it ended. */
export function AgentOutcome({ reason }: Pick<AgentTurn, 'reason'>): ReactElement {
  const texts = useTexts(AGENT_WORK);
  const reasons = useTexts(HANDOFF_REASONS);
  return <>{reason === null ? texts.answered : reasons[reason]}</>;
}

export function AgentWork({ work }: { work: Work }): ReactElement {
  const texts = useTexts(AGENT_WORK);
  const { actions, files, passages, cost, model, input_tokens, output_tokens, latency_ms } = work;
  return (
    <>
      <section className={styles['read']}>
        <h3>{texts.read}</h3>
        {passages.length === 0 ? (
          <p className={styles['soft']}>{texts.readNothing}</p>
        ) : (
          <Passages passages={passages} />
        )}
      </section>
      {files.length > 0 && <Files files={files} />}
      {actions.length > 0 && <Actions actions={actions} />}
      <Details
        items={[
          [texts.took, formatMilliseconds(latency_ms)],
          [texts.model, model ?? texts.noModel],
          input_tokens !== null && [texts.input, formatNumber(input_tokens)],
          output_tokens !== null && [texts.output, formatNumber(output_tokens)],
          cost !== null && [texts.cost, formatMoney(cost)],
        ]}
      />
    </>
  );
}

/** What the model got of the files of the contact. */
function Files({ files }: Pick<Work, 'files'>): ReactElement {
  const texts = useTexts(AGENT_WORK);
  const ways = useTexts(FILE_READINGS);
  return (
    <section className={styles['read']}>
      <h3>{texts.files}</h3>
      <ul className={styles['passages']} aria-label={texts.files}>
        {files.map(({ name, read_as, characters, pictures, note }, index) => (
          // Files of a try have no message, and two may have the same name.
          <li key={index}>
            <span dir="auto">{name}</span>
            <span className={styles['soft']}>
              {[
                ways[read_as],
                characters > 0 && texts.characters(formatNumber(characters)),
                pictures > 0 && texts.pictures(formatNumber(pictures)),
                note,
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the model has called, in the order of its calls, with why a call was refused. */
function Actions({ actions }: Pick<Work, 'actions'>): ReactElement {
  const texts = useTexts(AGENT_WORK);
  return (
    <section className={styles['read']}>
      <h3>{texts.did}</h3>
      <ol className={styles['passages']} aria-label={texts.did}>
        {actions.map(({ tool, arguments: given, is_done, note }, index) => (
          // A model may call the same function twice with the same arguments.
          <li key={index}>
            <code>
              {tool} {given}
            </code>
            {!is_done && <span className={styles['refused']}>{note ?? texts.refused}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Passages({ passages }: Pick<Work, 'passages'>): ReactElement {
  const texts = useTexts(AGENT_WORK);
  const mayOpen = useMay('knowledge:read');
  return (
    <ol className={styles['passages']} aria-label={texts.read}>
      {passages.map(({ item, name, position, coverage, content }) => {
        const place = `${name} · ${texts.passage(formatNumber(position + 1))}`;
        return (
          <li key={`${item} ${position}`}>
            {mayOpen ? <Link href={toScreen(`/knowledge/${item}`)}>{place}</Link> : <span>{place}</span>}
            <span className={styles['soft']}>{texts.coverage(formatShare(coverage))}</span>
            {content !== undefined && (
              <details className={styles['text']}>
                <summary>{texts.text}</summary>
                <p dir="auto">{content}</p>
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}
