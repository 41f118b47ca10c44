/** The shop's own script: the button in the page opens the chat, if there is one. */
const script = document.querySelector('script[data-inbox]');
const hint = document.getElementById('no-chat');
const buttons = document.querySelectorAll('[data-chat]');

hint.hidden = script !== null;
for (const button of buttons) {
  button.hidden = script === null;
  button.addEventListener('click', () => {
    // Calls that come before the chat has loaded wait in this list.
    window.parley = window.parley || [];
    window.parley.push(['open']);
  });
}
