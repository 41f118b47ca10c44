/** @jsxImportSource preact */
/** The questions before the first message. */
import { getOwnProperty } from '../../browser/own-property.ts';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Question } from '../api/types.ts';
import { answers, findProblem, readAnswers, type AnswerProblem, type Typed } from '../chat/answers.ts';
import { useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';

export function Questions({ questions }: { questions: readonly Question[] }): VNode {
  const texts = useTexts(TEXTS);
  const id = useId();
  const [typed, setTyped] = useState<Readonly<Record<string, Typed>>>({});
  const [isChecked, setChecked] = useState(false);
  const problems = new Map(
    questions.map((question) => [question.key, findProblem(question, getOwnProperty(typed, question.key) ?? '')]),
  );
  const submit = (): void => {
    const wrong = questions.find(({ key }) => problems.get(key));
    if (!wrong) return answers.set(readAnswers(questions, typed));
    setChecked(true);
    document.getElementById(`${id}-${wrong.key}`)?.focus();
  };
  return (
    <form
      class="questions"
      noValidate
      aria-label={texts.beforeStart}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h2>{texts.beforeStart}</h2>
      {questions.map((question) => (
        <QuestionField
          key={question.key}
          id={`${id}-${question.key}`}
          question={question}
          typed={getOwnProperty(typed, question.key) ?? ''}
          problem={isChecked ? (problems.get(question.key) ?? null) : null}
          onChange={(value) => setTyped((all) => ({ ...all, [question.key]: value }))}
        />
      ))}
      <button type="submit" class="button">
        {texts.start}
      </button>
    </form>
  );
}

interface QuestionFieldProps {
  id: string;
  question: Question;
  typed: Typed;
  problem: AnswerProblem | null;
  onChange(typed: Typed): void;
}

function QuestionField(props: QuestionFieldProps): VNode {
  const { id, question, problem } = props;
  const texts = useTexts(TEXTS);
  const usual = { NAME: texts.name, EMAIL: texts.email, CUSTOM_FIELD: question.key }[question.kind];
  const title = question.title ?? usual;
  const label = question.required ? title : texts.optional(title);
  const hasOptions = question.type === 'LIST' && question.options.length > 0;
  return (
    <div class="field">
      {hasOptions ? <OptionList {...props} label={label} /> : <label for={id}>{label}</label>}
      {!hasOptions && <AnswerInput {...props} />}
      {problem !== null && (
        <p class="problem" id={`${id}-problem`}>
          {texts[problem]}
        </p>
      )}
    </div>
  );
}

function OptionList({ id, label, question, typed, onChange }: QuestionFieldProps & { label: string }): VNode {
  const chosen = Array.isArray(typed) ? typed : [];
  return (
    <fieldset id={id} tabIndex={-1}>
      <legend>{label}</legend>
      {question.options.map((option) => (
        <label key={option} class="option">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, option] : chosen.filter((each) => each !== option))
            }
          />
          <span dir="auto">{option}</span>
        </label>
      ))}
    </fieldset>
  );
}

function AnswerInput({ id, question, typed, problem, onChange }: QuestionFieldProps): VNode {
  const texts = useTexts(TEXTS);
  const { kind, type, options, required } = question;
  const about = {
    id,
    'aria-required': required,
    'aria-invalid': problem !== null,
    ...(problem === null ? {} : { 'aria-describedby': `${id}-problem` }),
    value: String(typed),
  };
  if (type === 'SELECT' || type === 'BOOLEAN') {
    const known = options.map((option) => ({ value: option, title: option }));
    const choices =
      type === 'SELECT'
        ? known
        : [
            { value: 'true', title: texts.yes },
            { value: 'false', title: texts.no },
          ];
    return (
      <select {...about} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">–</option>
        {choices.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  const write = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => onChange(currentTarget.value);
  if (type === 'DATE') return <input {...about} type="date" onInput={write} />;
  return (
    <input
      {...about}
      type="text"
      inputMode={type === 'NUMBER' ? 'decimal' : kind === 'EMAIL' ? 'email' : 'text'}
      autoComplete={kind === 'NAME' ? 'name' : kind === 'EMAIL' ? 'email' : 'off'}
      placeholder={type === 'LIST' ? texts.severalWithCommas : ''}
      dir="auto"
      onInput={write}
    />
  );
}
