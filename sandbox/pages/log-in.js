/** The page behind a log-in link of the professional network. */
import { byId, control } from './elements.js';

const button = byId('log-in');
const outcome = byId('outcome');

button.addEventListener('click', () => void logIn());

async function logIn() {
  button.disabled = true;
  outcome.textContent = '';
  try {
    const { status } = await control('network/log-in', { url: location.pathname });
    const isTold = status === 200;
    outcome.textContent = isTold
      ? 'Logged in. The platform shows the account in a moment; you can close this page.'
      : 'Logged in, but the platform did not accept it. Create a new link there.';
  } catch (error) {
    button.disabled = false;
    outcome.textContent = error.message;
  }
}
