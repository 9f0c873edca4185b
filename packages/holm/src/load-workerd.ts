// workerd compiles the module before the script runs and lets nobody else compile.

import module from './wasm/holm_bg.wasm';
import { load } from './load.js';

load(module);
