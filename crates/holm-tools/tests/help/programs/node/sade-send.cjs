// sade.
const sade = require('sade');
sade('sade-send').version('1.4.0').option('--global, -g', 'An option for all')
  .command('push <dir>', 'Sends a folder', { default: true }).option('-o, --output', 'Where it goes', 'remote').option('-f, --force', 'Replaces what is there').example('push src --force')
  .action((dir, opts) => console.log(dir, JSON.stringify(opts)))
  .command('pull <dir>', 'Fetches a folder').action((dir, opts) => console.log(dir, JSON.stringify(opts)))
  .parse(process.argv);
