// yargs: commands.
const yargs = require('yargs/yargs');
yargs(process.argv.slice(2)).scriptName('yargs-repo').version('1.4.0').usage('$0 <cmd> [args]')
  .command(['save [paths..]', 's'], 'saves the present state', (y) => y.option('message', { alias: 'm', demandOption: true, type: 'string', describe: 'what changed' }), (a) => console.log(JSON.stringify(a)))
  .command('log', 'shows what was saved', (y) => y.option('count', { type: 'number', default: 10, describe: 'how many' }), (a) => console.log(JSON.stringify(a)))
  .option('dir', { type: 'string', describe: 'works in this folder' })
  .demandCommand(1).strict().help().wrap(80).parse();
