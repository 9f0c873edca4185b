// What an agent can do in a page.

export { readDom } from './read-dom';
export { noteTools } from './notes';
