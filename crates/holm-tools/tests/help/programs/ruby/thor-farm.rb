# Thor.
require 'thor'
class Farm < Thor
  def self.exit_on_failure? = true
  package_name 'farm'
  class_option :field, type: :string, desc: 'Which field'
  desc 'sow SEED', 'Sows SEED'
  method_option :rows, type: :numeric, default: 4, aliases: '-r', desc: 'How many rows'
  method_option :deep, type: :boolean, desc: 'Sows deep'
  method_option :month, enum: %w[april may], required: true, desc: 'When'
  def sow(seed) = puts("sow #{seed} #{options}")
  desc 'reap', 'Reaps what is ripe'
  def reap = puts('reap')
end
$PROGRAM_NAME = 'thor-farm'
Farm.start(ARGV)
