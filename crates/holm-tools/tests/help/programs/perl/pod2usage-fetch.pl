#!/usr/bin/perl
# Getopt::Long with its help taken from the documentation by pod2usage.
use strict; use warnings; use Getopt::Long; use Pod::Usage;
GetOptions('help|h' => \my $help, 'output|o=s' => \my $output, 'retry=i' => \my $retry, 'header=s@' => \my $header, 'cache!' => \my $cache, 'verbose|v+' => \my $verbose) or pod2usage(2);
pod2usage(-verbose => 1, -exitval => 0) if $help;
pod2usage(2) unless @ARGV;
print "@ARGV\n";
__END__

=head1 NAME

pod2usage-fetch - fetches pages

=head1 SYNOPSIS

pod2usage-fetch [options] URL...

=head1 OPTIONS

=over 4

=item B<-o>, B<--output>=I<FILE>

Where the page goes. Without it the page is
printed.

=item B<--retry>=I<N>

How often to try again.

=item B<--header>=I<LINE>

A line to send. May be given more than once.

=item B<--[no-]cache>

Keeps what was fetched.

=item B<-v>, B<--verbose>

Says more.

=item B<-h>, B<--help>

Prints this help.

=back

=cut
