package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"onedebit/scenarios/stack"
)

func (p *process) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Writes the man pages, one for each command",
		Long: `Writes the man pages, one for each command, into a folder, for example share/man/man1 of what a package installs. The same
version writes the same pages where SOURCE_DATE_EPOCH says what date they bear.`,
		Example: "  onedebit man man1",
		Args:    oneArg("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			date := p.Now().UTC()
			if text := p.env("SOURCE_DATE_EPOCH"); text != "" {
				seconds, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return usage{fmt.Errorf("SOURCE_DATE_EPOCH=%s: it is no number of seconds", text)}
				}
				date = time.Unix(seconds, 0).UTC()
			}
			if args[0] == "" {
				return usage{errors.New("name the folder for the man pages")}
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("making the folder for the man pages: %w: %w", stack.ErrNotUp, err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "ONEDEBIT", Section: "1", Date: &date, Source: "onedebit " + version(), Manual: "onedebit"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("writing the man pages: %w: %w", stack.ErrNotUp, err)
			}
			return nil
		},
	}
}
