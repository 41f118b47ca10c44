/** Sends what the visitor writes, with what belongs to it. */
import { answers } from './answers.ts';
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
  const given = answers.get();
  post({
    content,
    ...press,
    ...(page === null ? {} : { page }),
    ...(given === null || Object.keys(given).length === 0 ? {} : { answers: given }),
  });
  // They belong to the first message.
  answers.set({});
  forgetTyping();
}
