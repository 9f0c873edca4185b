// cobra: commands, persistent flags, required flags.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "cobra-repo", Short: "Keeps versions of a folder", Version: "1.4.0",
		Long: "Keeps versions of a folder.\n\nA version is a picture of all files at one time."}
	root.PersistentFlags().StringP("dir", "C", ".", "works in this `folder`")
	root.PersistentFlags().BoolP("verbose", "v", false, "says more")
	save := &cobra.Command{Use: "save [paths...]", Aliases: []string{"commit"}, Short: "Saves the present state",
		Example: "  cobra-repo save -m 'first'", Run: func(c *cobra.Command, args []string) { fmt.Println("save", args) }}
	save.Flags().StringP("message", "m", "", "what changed")
	save.Flags().StringSlice("label", nil, "labels of the version")
	save.Flags().StringArray("note", nil, "a note; may be given again")
	save.Flags().Int("keep", 10, "how many versions to keep")
	save.Flags().Duration("wait", 0, "how long to wait for the lock")
	save.Flags().Bool("sign", true, "signs the version")
	save.MarkFlagRequired("message")
	remote := &cobra.Command{Use: "remote", Short: "Other places that hold versions"}
	add := &cobra.Command{Use: "add NAME URL", Short: "Adds a place", Args: cobra.ExactArgs(2),
		Run: func(c *cobra.Command, args []string) { fmt.Println("add", args) }}
	remote.AddCommand(add, &cobra.Command{Use: "list", Short: "Lists the places", Run: func(c *cobra.Command, args []string) { fmt.Println("list") }})
	root.AddCommand(save, remote)
	if root.Execute() != nil {
		os.Exit(2)
	}
}
