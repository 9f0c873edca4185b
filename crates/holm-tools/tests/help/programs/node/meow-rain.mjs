// meow: the text is written by hand, the frame by the library.
import meow from 'meow';
const cli = meow(`
	Usage
	  $ meow-rain <city>

	Options
	  --days, -d  How many days  [default: 3]
	  --unit      c or f
	  --plain     No colours

	Examples
	  $ meow-rain Oslo --days 2
`, { importMeta: import.meta, description: 'Says when it rains', flags: { days: { type: 'number', shortFlag: 'd', default: 3 }, unit: { type: 'string', choices: ['c', 'f'] }, plain: { type: 'boolean' } } });
console.log(cli.input, JSON.stringify(cli.flags));
