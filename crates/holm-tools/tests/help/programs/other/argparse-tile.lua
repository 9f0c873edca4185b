-- argparse for Lua.
local argparse = require "argparse"
local parser = argparse("argparse-tile", "Lays tiles.", "Tiles are laid from the left.")
parser:argument("room", "Which room.")
parser:argument("tiles", "Which tiles."):args("*")
parser:option("-p --pattern", "How to lay them.", "brick"):choices {"brick", "straight"}
parser:option("-g --gap", "Gap in millimetres."):convert(tonumber)
parser:option("--cut", "A tile to cut."):count("*")
parser:flag("-w --wet", "Cuts with water.")
print(parser:parse().room)
