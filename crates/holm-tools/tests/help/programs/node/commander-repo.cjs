// commander: subcommands.
const { Command } = require('commander');
const program = new Command('commander-repo');
program.description('Keeps versions of a folder').version('1.4.0').option('-C, --dir <path>', 'works in this folder');
program.command('save').alias('s').description('saves the present state').argument('[paths...]', 'only these paths').requiredOption('-m, --message <text>', 'what changed').action((...a) => console.log('save', JSON.stringify(a.slice(0, 2))));
const remote = program.command('remote').description('other places that hold versions');
remote.command('add <name> <url>').description('adds a place').action((n, u) => console.log('add', n, u));
remote.command('list').description('lists the places').action(() => console.log('list'));
program.parse();
