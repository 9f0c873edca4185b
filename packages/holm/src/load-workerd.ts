// workerd compiles the module before the script runs; scripts cannot compile WASM.

import module from './wasm/holm_bg.wasm';
import { load } from './load.js';

load(module);
