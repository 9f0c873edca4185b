// cxxopts.
#include <cxxopts.hpp>
#include <iostream>

int main(int argc, char **argv) {
    cxxopts::Options options("cxxopts-mill", "Mills grain");
    options.add_options()("h,help", "Print help")("s,stones", "How many stones", cxxopts::value<int>()->default_value("2"))
        ("g,grain", "Grain to mill", cxxopts::value<std::vector<std::string>>())("w,wet", "Adds water")
        ("o,output", "Where the flour goes", cxxopts::value<std::string>(), "FILE");
    try {
        auto result = options.parse(argc, argv);
        if (result.count("help")) { std::cout << options.help() << "\n"; return 0; }
        std::cout << result["stones"].as<int>() << "\n";
    } catch (const std::exception &error) { std::cerr << error.what() << "\n"; return 2; }
}
