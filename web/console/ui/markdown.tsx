/** Shows Markdown. The text becomes elements of the page and never HTML, so that nothing that stands in it can run. */
import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, useMemo, type ReactElement, type ReactNode } from 'react';
import styles from './markdown.module.css';

export function Markdown({ text }: { text: string }): ReactElement {
  const tokens = useMemo(() => lexer(text), [text]);
  return <div className={styles['markdown']}>{renderAll(tokens)}</div>;
}

const renderAll = (tokens: readonly Token[] = []): ReactNode =>
  // The tokens have no names, and a changed text makes all of them anew.
  tokens.map((token, index) => <Fragment key={index}>{render(token)}</Fragment>);

/** What a token becomes. One that is not listed is shown as it was written. */
function render(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'heading':
      return (
        <p className={styles['heading']} dir="auto">
          {renderAll(token.tokens)}
        </p>
      );
    case 'paragraph':
      return <p dir="auto">{renderAll(token.tokens)}</p>;
    case 'blockquote':
      return <blockquote dir="auto">{renderAll(token.tokens)}</blockquote>;
    case 'strong':
      return <strong>{renderAll(token.tokens)}</strong>;
    case 'em':
      return <em>{renderAll(token.tokens)}</em>;
    case 'del':
      return <del>{renderAll(token.tokens)}</del>;
    case 'list':
      return renderList(token as Tokens.List);
    case 'table':
      return renderTable(token as Tokens.Table);
    case 'code':
      return <pre>{(token as Tokens.Code).text}</pre>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'link':
      return renderLink(token as Tokens.Link);
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text':
      return 'tokens' in token && token.tokens ? renderAll(token.tokens) : token.raw;
    default:
      return token.raw;
  }
}

function renderList({ ordered, start, items }: Tokens.List): ReactElement {
  const entries = items.map((item, index) => (
    <li key={index} dir="auto">
      {renderAll(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={Number(start)}>{entries}</ol> : <ul>{entries}</ul>;
}

function renderTable({ header, rows }: Tokens.Table): ReactElement {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <th key={index}>{renderAll(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={place}>
            {row.map((cell, index) => (
              <td key={index}>{renderAll(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Only addresses of the web are links: an address with another scheme could run a script. */
function renderLink({ href, raw, tokens }: Tokens.Link): ReactNode {
  if (!/^https?:\/\//i.test(href)) return raw;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {renderAll(tokens)}
    </a>
  );
}
