/** Sends what the visitor writes, with what belongs to it. */
import { post } from './outbox.ts';
import { visitedPage } from './site.ts';
import { forgetTyping } from './typing.ts';

/** A button of a message that was pressed. */
interface Press {
  reply_to: string;
  button: string;
}

/** With a press, the text is the title of the button. */
export function writeText(content: string, press?: Press): void {
  const page = visitedPage.get();
  post({
    content,
    ...press,
    ...(page === null ? {} : { page }),
  });
  forgetTyping();
}
