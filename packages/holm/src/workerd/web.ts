// The same for workerd, with the module in place.

import '../load-workerd.js';

export * from '../web/index.js';
