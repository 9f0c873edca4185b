// commander: options of every kind.
const { Command, Option } = require('commander');
const program = new Command('commander-pack');
program
  .description('Packs files into one archive')
  .version('1.4.0')
  .argument('<output>', 'where the archive goes')
  .argument('[inputs...]', 'files and folders to pack', ['.'])
  .option('-l, --level <n>', 'how hard to press', '6')
  .option('-x, --exclude <glob...>', 'leaves out what matches')
  .option('-i, --index [file]', 'also writes an index')
  .option('--no-links', 'leaves links out')
  .option('-v, --verbose', 'says more')
  .requiredOption('-o, --owner <name>', 'who owns the entries')
  .addOption(new Option('--format <kind>', 'container format').choices(['tar', 'zip']).default('tar'))
  .action((...all) => console.log(JSON.stringify(all.slice(0, 3))));
program.parse();
