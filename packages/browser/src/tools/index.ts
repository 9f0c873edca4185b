// The tools of an agent in a page.

export { readDom } from './read-dom';
export { noteTools } from './notes';
