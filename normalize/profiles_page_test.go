package normalize_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// The table of docs/profiles.md says what the profiles do.
func TestProfilesPage_TableIsTrue(t *testing.T) {
	page, err := os.ReadFile("../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	cell := "(?:`([^`]*)`|refused \\(`([^`]*)`\\)|)"
	rows := regexp.MustCompile(`(?m)^\| `+cell+` ?\| `+cell+` \| `+cell+` \| `+cell+` \| .+ \|$`).FindAllStringSubmatch(string(page), -1)
	if lines := strings.Count(string(page), "\n|") - 2; len(rows) != lines {
		t.Errorf("%d of %d rows can be read", len(rows), lines)
	}
	for _, row := range rows {
		base, ref := row[1], row[3]
		for profile, want := range map[string][]string{"rfc2396": row[5:7], "rfc3986": row[7:9]} {
			text := want[0]
			if want[1] != "" {
				text = "!" + want[1]
			}
			if got, _ := outcome(newNormalizer(t, normalize.Options{Profile: profile}), retrieval(base), ref); !agrees(got, text) {
				t.Errorf("%s: %q on %q: got %s, the page says %s", profile, ref, base, got, text)
			}
		}
	}
}
