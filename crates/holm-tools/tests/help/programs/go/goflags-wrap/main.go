// go-flags.
package main

import (
	"fmt"
	"os"

	"github.com/jessevdk/go-flags"
)

func main() {
	var opts struct {
		Verbose []bool            `short:"v" long:"verbose" description:"Says more"`
		Width   int               `short:"w" long:"width" description:"Columns of a line" default:"80"`
		Style   string            `long:"style" choice:"plain" choice:"round" description:"How it looks"`
		Set     map[string]string `long:"set" description:"A variable" value-name:"NAME:VALUE"`
		Title   string            `long:"title" required:"yes" description:"What stands above"`
		Args    struct {
			Input string   `positional-arg-name:"INPUT" required:"yes"`
			More  []string `positional-arg-name:"MORE"`
		} `positional-args:"yes"`
	}
	if _, err := flags.NewNamedParser("goflags-wrap", flags.Default).AddGroup("Wrap Options", "", &opts); err != nil {
		panic(err)
	}
	parser := flags.NewParser(&opts, flags.Default)
	parser.Name = "goflags-wrap"
	if _, err := parser.Parse(); err != nil {
		if e, ok := err.(*flags.Error); ok && e.Type == flags.ErrHelp {
			return
		}
		os.Exit(1)
	}
	fmt.Println(opts.Args, opts.Width)
}
