// Boost program_options.
#include <boost/program_options.hpp>
#include <iostream>
namespace po = boost::program_options;

int main(int argc, char **argv) {
    po::options_description desc("Allowed options");
    desc.add_options()
        ("help,h", "produce help message")
        ("grain,g", po::value<int>()->default_value(10), "how fine to grind")
        ("include-path,I", po::value<std::vector<std::string>>()->composing(), "include path")
        ("bean", po::value<std::string>()->required(), "which bean")
        ("fast", po::bool_switch(), "hurries");
    po::variables_map vm;
    try {
        po::store(po::parse_command_line(argc, argv, desc), vm);
        if (vm.count("help")) { std::cout << "Usage: boost-grind [options]\n" << desc << "\n"; return 0; }
        po::notify(vm);
    } catch (const std::exception &error) { std::cerr << error.what() << "\n"; return 2; }
    std::cout << vm["grain"].as<int>() << "\n";
}
