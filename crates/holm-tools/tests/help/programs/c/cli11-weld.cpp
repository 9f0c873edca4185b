// CLI11.
#include <CLI/CLI.hpp>
#include <iostream>

int main(int argc, char **argv) {
    CLI::App app{"Welds parts", "cli11-weld"};
    std::string metal = "steel"; int heat = 900; std::vector<std::string> parts; bool cool = false;
    app.add_option("-m,--metal", metal, "What the parts are made of")->check(CLI::IsMember({"steel", "brass"}))->capture_default_str();
    app.add_option("--heat", heat, "How hot")->required();
    app.add_flag("-c,--cool,!--no-cool", cool, "Cools afterwards");
    app.add_option("parts", parts, "Parts to weld")->required();
    auto *check = app.add_subcommand("check", "Looks at a weld");
    check->add_option("--lamp", metal, "Which lamp");
    CLI11_PARSE(app, argc, argv);
    std::cout << parts.size() << "\n";
}
