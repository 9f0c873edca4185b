<?php
// Symfony's Console.
require '/usr/share/php/Symfony/Component/Console/autoload.php';
use Symfony\Component\Console\{Input\InputArgument, Input\InputOption, SingleCommandApplication};
(new SingleCommandApplication())->setName('console-ring')->setVersion('1.4.0')->setDescription('Rings a bell')
    ->addArgument('bell', InputArgument::REQUIRED, 'Which bell')
    ->addArgument('times', InputArgument::IS_ARRAY, 'When to ring')
    ->addOption('loud', 'l', InputOption::VALUE_NONE, 'Rings loudly')
    ->addOption('rope', null, InputOption::VALUE_REQUIRED, 'Which rope', 'short')
    ->addOption('who', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'Who rings')
    ->setCode(function ($in, $out) { $out->writeln($in->getArgument('bell')); return 0; })->run();
