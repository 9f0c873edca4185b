// TCLAP.
#include <iostream>
#include <tclap/CmdLine.h>

int main(int argc, char **argv) {
    TCLAP::CmdLine cmd("Knits a scarf", ' ', "1.4.0");
    TCLAP::ValueArg<std::string> wool("w", "wool", "Which wool", true, "merino", "string", cmd);
    TCLAP::ValueArg<int> rows("r", "rows", "How many rows", false, 100, "int", cmd);
    TCLAP::SwitchArg loose("l", "loose", "Knits loosely", cmd, false);
    TCLAP::MultiArg<std::string> stripe("s", "stripe", "A stripe; may be given again", false, "colour", cmd);
    TCLAP::UnlabeledValueArg<std::string> name("name", "Whose scarf", true, "", "name", cmd);
    cmd.parse(argc, argv);
    std::cout << name.getValue() << rows.getValue() << "\n";
}
