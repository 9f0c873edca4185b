#!/usr/bin/perl
# Getopt::Long::Descriptive.
use strict; use warnings; use Getopt::Long::Descriptive;
my ($opt, $usage) = describe_options(
    'descriptive-plan %o <day>',
    ['server|s=s', 'the server to connect to', { required => 1 }],
    ['port|p=i', 'the port to connect to', { default => 79 }],
    ['guest|g=s@', 'who comes along'],
    [],
    ['verbose|v', 'print extra stuff'],
    ['help|h', 'print usage message and exit', { shortcircuit => 1 }],
);
print($usage->text), exit if $opt->help;
print $opt->server, " @ARGV\n";
