// citty.
import { defineCommand, runMain } from 'citty';
runMain(defineCommand({
  meta: { name: 'citty-brew', version: '1.4.0', description: 'Brews a cup' },
  args: {
    cup: { type: 'positional', description: 'Which cup', required: true },
    strength: { type: 'string', description: 'How strong', default: 'mild' },
    milk: { type: 'boolean', description: 'With milk' },
    size: { type: 'enum', options: ['small', 'large'], description: 'How big', default: 'small' },
  },
  run({ args }) { console.log(JSON.stringify(args)); },
}));
