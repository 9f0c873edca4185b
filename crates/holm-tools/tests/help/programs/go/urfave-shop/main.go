// urfave/cli.
package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"
)

func main() {
	app := &cli.App{Name: "urfave-shop", Usage: "runs a shop", Version: "1.4.0",
		Flags: []cli.Flag{&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "settings in `FILE`", EnvVars: []string{"SHOP_CONFIG"}}},
		Commands: []*cli.Command{
			{Name: "buy", Aliases: []string{"b"}, Usage: "buys an item", ArgsUsage: "ITEM",
				Flags:  []cli.Flag{&cli.IntFlag{Name: "amount", Value: 1, Usage: "how many"}, &cli.StringSliceFlag{Name: "tag", Usage: "labels"}, &cli.BoolFlag{Name: "gift", Usage: "wraps it"}, &cli.StringFlag{Name: "payer", Required: true, Usage: "who pays"}},
				Action: func(c *cli.Context) error { fmt.Println("buy", c.Args().Slice(), c.Int("amount")); return nil }},
			{Name: "list", Usage: "lists the stock", Action: func(c *cli.Context) error { fmt.Println("list"); return nil }},
		}}
	if err := app.Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
