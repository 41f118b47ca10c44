/** Gives each block of code a button that copies it. */

const COPIED_MS = 1_500;
const ICON = new URL('copy.svg', import.meta.url).href;

for (const block of document.querySelectorAll('pre')) addButton(block);

function addButton(block: HTMLPreElement): void {
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  const icon = document.createElement('img');
  icon.src = ICON;
  icon.alt = '';
  const label = document.createElement('span');
  label.textContent = 'Copy';
  label.setAttribute('role', 'status');
  button.append(icon, label);
  frame.append(block, button);
  button.addEventListener('click', () => {
    void copy(block).then((says) => {
      label.textContent = says;
      setTimeout(() => (label.textContent = 'Copy'), COPIED_MS);
    });
  });
}

/** Copies the text of a block. Where a browser offers no clipboard (pages by plain http), the text is selected instead. */
async function copy(block: HTMLPreElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return 'Copied';
  } catch {
    // Failure policy: the reader copies the selection by the keyboard.
    getSelection()?.selectAllChildren(block);
    return 'Selected';
  }
}
