// kong.
package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

var cli struct {
	Debug bool   `help:"Enables debug mode." short:"d"`
	Level string `help:"What is logged (${enum})." enum:"debug,info,warn" default:"info"`
	Up    struct {
		Name  string   `arg:"" help:"Interface to start."`
		Peers []string `arg:"" optional:"" help:"Peers to reach."`
		Mtu   int      `help:"Size of a packet." default:"1500"`
		Key   string   `help:"Key to use." required:""`
	} `cmd:"" help:"Starts an interface."`
	Down struct {
		Name string `arg:"" help:"Interface to stop."`
	} `cmd:"" help:"Stops an interface."`
}

func main() {
	ctx := kong.Parse(&cli, kong.Name("kong-net"), kong.Description("Handles networks."))
	fmt.Println(ctx.Command())
}
