// gflags; its short help.
#include <gflags/gflags.h>
#include <iostream>
DEFINE_int32(width, 80, "columns of the picture");
DEFINE_bool(color, true, "draws in colours");
DEFINE_string(shape, "circle", "what to draw");

int main(int argc, char **argv) {
    gflags::SetUsageMessage("draws a picture");
    gflags::SetVersionString("1.4.0");
    gflags::ParseCommandLineFlags(&argc, &argv, true);
    std::cout << FLAGS_width << FLAGS_shape << "\n";
}
