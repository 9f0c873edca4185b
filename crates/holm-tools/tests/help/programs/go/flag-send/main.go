// Go's own flag package.
package main

import (
	"flag"
	"fmt"
)

func main() {
	flag.Int("port", 9, "port of the host")
	flag.Bool("retry", false, "tries again after a failure")
	flag.String("header", "", "`line` to send first")
	flag.Duration("timeout", 0, "how long to wait")
	flag.Float64("rate", 1.5, "how many a second")
	flag.Bool("v", false, "says more")
	flag.String("o", "out.bin", "where the answer goes")
	flag.Parse()
	fmt.Println(flag.Args())
}
