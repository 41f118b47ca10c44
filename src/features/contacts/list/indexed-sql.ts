/** The expressions of the indexes that searches and filters of contacts look up. */

// The same expression as in the index contacts_search.
export const MARKS = `contact_marks(name, email, phone_number, professional_network_identifier,
  coalesce(folded_name, '') || coalesce(folded_email, ''))`;
// Names and e-mails with letters beyond ASCII are few, and marked.
const MARKED = `${MARKS} @> '{+letters}'`;

/** The indexed expression of each text, the function that is applied to the value, and the condition of texts beyond ASCII. */
export const TRIGRAMS = {
  name: { expression: 'folded_name', change: 'fold', beyondAscii: MARKED },
  email: { expression: 'folded_email', change: 'fold', beyondAscii: MARKED },
  phone_number: { expression: 'phone_number', change: 'lower', beyondAscii: 'false' },
  professional_network_identifier: {
    expression: 'lower(professional_network_identifier)',
    change: 'lower',
    beyondAscii: null,
  },
  // It is stored in small letters, and never beyond ASCII. Its index is contacts_username.
  username: { expression: 'username', change: 'lower', beyondAscii: 'false' },
} as const;
