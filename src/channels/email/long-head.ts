/** Shortens the headers of a mail that has too many bytes of them, so that the rest of the mail can be read. */

/** The headers that the platform reads, without `Received`, which is often repeated. */
const READ =
  /^(?:from|sender|to|cc|reply-to|subject|date|message-id|in-reply-to|references|return-path|mime-version|content-[\w-]+|list-[\w-]+|auto-submitted|precedence|x-auto[\w-]*|x-loop|x-failed-recipients)\s*:/i;
/** The most bytes of a header that stay when others are left out. */
const MAX_FIELD = 8_192;

/** Passes a mail on. If its headers have more than `most` bytes, those that the platform does not read and the ends of long ones are left out. */
export async function* shortenHead(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  const head = new Head(most);
  for await (const piece of source) {
    if (head.isOver) yield piece;
    else {
      const rest = head.add(piece);
      if (head.isOver) yield Buffer.concat([head.finish(), rest]);
    }
  }
  if (!head.isOver) yield head.finish();
}

class Head {
  isOver = false;
  #most: number;
  #isShortened = false;
  #fields: string[] = [];
  #bytes = 0;
  /** The header that is read now, with the lines that continue it. Each character is a byte. */
  #field = '';
  /** The beginning of a line whose end has not been read yet. */
  #line = '';

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns what follows the headers. */
  add(piece: Buffer): Buffer {
    let from = 0;
    for (let to = piece.indexOf('\n'); to >= 0; to = piece.indexOf('\n', from)) {
      this.#extendLine(piece.toString('latin1', from, to + 1));
      from = to + 1;
      this.#endLine();
      if (this.isOver) break;
    }
    if (!this.isOver) this.#extendLine(piece.toString('latin1', from));
    return piece.subarray(from);
  }

  finish(): Buffer {
    if (this.#line !== '') this.#endLine();
    const end = this.isOver ? this.#field : '';
    if (!this.isOver) this.#endField();
    return Buffer.from(this.#fields.join('') + end, 'latin1');
  }

  #extendLine(text: string): void {
    const isWhole = this.#line.length <= this.#most;
    this.#line += isWhole ? text : text.endsWith('\n') ? '\n' : '';
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (/^[ \t]/.test(line)) {
      if (this.#field.length <= this.#most) this.#field += line;
      return;
    }
    this.#endField();
    this.#field = line;
    this.isOver = line === '\n' || line === '\r\n';
  }

  #endField(): void {
    const fields = [this.#field];
    if (!this.#isShortened && this.#bytes + this.#field.length > this.#most) {
      this.#isShortened = true;
      fields.unshift(...this.#fields);
      [this.#fields, this.#bytes] = [[], 0];
    }
    for (const field of fields) {
      const kept = this.#isShortened ? shortenField(field) : field;
      if (this.#bytes + kept.length > this.#most) continue;
      this.#fields.push(kept);
      this.#bytes += kept.length;
    }
  }
}

function shortenField(field: string): string {
  if (!READ.test(field)) return '';
  return field.length > MAX_FIELD ? `${field.slice(0, MAX_FIELD).trimEnd()}\r\n` : field;
}
