// cac.
const { cac } = require('cac');
const cli = cac('cac-serve');
cli.command('[root]', 'Serves a folder').option('--port <port>', 'Port to listen on', { default: 8080 }).option('--open', 'Opens a browser').option('--host [host]', 'Name to listen on').action((root, options) => console.log(root, JSON.stringify(options)));
cli.command('build <entry>', 'Builds the site').option('--minify', 'Makes it small').action((entry, options) => console.log(entry, JSON.stringify(options)));
cli.help();
cli.version('1.4.0');
cli.parse();
