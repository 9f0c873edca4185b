// The pages of the menu, in groups: work first, administration apart.

export const PAGES = [
  {
    name: 'Work',
    pages: [
      { name: 'new', title: 'New chat', key: 'n' },
      { name: 'inbox', title: 'Inbox', key: 'i' },
      { name: 'sessions', title: 'Sessions', key: 's' },
      { name: 'jobs', title: 'Jobs', key: 'j' },
      { name: 'files', title: 'Files', key: 'f' },
    ],
  },
  {
    name: 'Agents',
    pages: [
      { name: 'agents', title: 'Agents', key: null },
      { name: 'tools', title: 'Tools', key: null },
      { name: 'skills', title: 'Skills', key: null },
      { name: 'servers', title: 'MCP servers', key: null },
      { name: 'evaluations', title: 'Evaluations', key: null },
    ],
  },
  {
    name: 'Administration',
    pages: [
      { name: 'models', title: 'Models and keys', key: null },
      { name: 'sites', title: 'Sites', key: null },
      { name: 'usage', title: 'Usage', key: null },
      { name: 'settings', title: 'Settings', key: null },
    ],
  },
] as const;

/** All pages of the menu. */
export const ALL_PAGES = PAGES.flatMap((group) => [...group.pages]);
