// yargs: types and defaults in brackets at the right side.
const yargs = require('yargs/yargs');
yargs(process.argv.slice(2)).scriptName('yargs-pack').version('1.4.0')
  .usage('$0 <output> [inputs..]', 'Packs files into one archive', (y) => y.positional('output', { describe: 'where the archive goes', type: 'string' }).positional('inputs', { describe: 'files and folders to pack', type: 'string' }))
  .option('level', { alias: 'l', type: 'number', default: 6, describe: 'how hard to press' })
  .option('format', { choices: ['tar', 'zip'], default: 'tar', describe: 'container format' })
  .option('exclude', { alias: 'x', type: 'array', describe: 'leaves out what matches' })
  .option('owner', { type: 'string', demandOption: true, describe: 'who owns the entries' })
  .option('verbose', { alias: 'v', type: 'count', describe: 'says more' })
  .option('links', { type: 'boolean', default: true, describe: 'packs links too, together with all that they point to, if it can be read' })
  .strict().alias('h', 'help').wrap(80)
  .parse(process.argv.slice(2), {}, (err, argv, out) => { if (out) { console.log(out); process.exit(err ? 1 : 0); } console.log(JSON.stringify(argv)); });
