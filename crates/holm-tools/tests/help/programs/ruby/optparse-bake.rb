# OptionParser of Ruby's standard library.
require 'optparse'
options = {}
OptionParser.new do |o|
  o.program_name = 'optparse-bake'
  o.banner = 'Usage: optparse-bake [options] RECIPE'
  o.separator ''
  o.separator 'Specific options:'
  o.on('-t', '--time MINUTES', Integer, 'How long to bake') { |v| options[:time] = v }
  o.on('--[no-]fan', 'Runs the fan') { |v| options[:fan] = v }
  o.on('--shelf SHELF', %w[top middle bottom], 'Which shelf', '  (top, middle, bottom)') { |v| options[:shelf] = v }
  o.on('--add A,B,C', Array, 'What to add') { |v| options[:add] = v }
  o.on('-g', '--glaze [KIND]', 'Glazes it (with KIND)') { |v| options[:glaze] = v }
  o.separator ''
  o.separator 'Common options:'
  o.on_tail('-h', '--help', 'Show this message') { puts o; exit }
end.parse!
abort 'a recipe is needed' if ARGV.empty?
p ARGV, options
