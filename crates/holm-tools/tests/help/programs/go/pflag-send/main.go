// pflag alone, with its own usage text.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
)

func main() {
	flags := pflag.NewFlagSet("pflag-send", pflag.ContinueOnError)
	flags.IntP("port", "p", 9, "port of the host")
	flags.BoolP("retry", "r", false, "tries again after a failure")
	flags.StringSlice("header", []string{}, "lines to send first")
	flags.String("via", "tcp", "how to send")
	flags.Duration("timeout", 0, "how long to wait")
	flags.IPP("bind", "b", nil, "address to send from")
	if err := flags.Parse(os.Args[1:]); err == pflag.ErrHelp {
		return
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println(flags.Args())
}
