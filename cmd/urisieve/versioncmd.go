package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/normalize"
)

func (p *program) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and the settings id of the default profile",
		Example: "  urisieve version\n  urisieve version --json",
		Args:    cobra.NoArgs,
	}
	asJSON := cmd.Flags().Bool("json", false, "as JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		n, err := normalize.New(normalize.Options{})
		if err != nil {
			return failed(err)
		}
		v := struct {
			Version  string `json:"version"`
			Revision string `json:"revision"`
			Settings string `json:"settings"`
			Go       string `json:"go"`
			Platform string `json:"platform"`
		}{version, revision(), n.SettingsID(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
		if *asJSON {
			return p.writeJSON(v)
		}
		_, err = fmt.Fprintf(p.stdout, "urisieve %s\nsettings %s\n%s %s\n", v.Version, v.Settings, v.Go, v.Platform)
		return asFailed(err)
	}
	return cmd
}

// revision is the commit that the program was built from, "" when the build does not say.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
