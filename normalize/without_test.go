package normalize

import "testing"

func TestWithoutSwitchesOffOneRuleAndLeavesTheOriginal(t *testing.T) {
	n, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rule, ref, want string }{
		{"", "HTTP://h/%7Ea", "http://h/~a"},
		{"decode_unreserved", "HTTP://h/%7Ea", "http://h/%7Ea"},
		{"remove_dot_segments", "http://h/a/../b", "http://h/a/../b"},
		{"", "http://h/a/../b", "http://h/b"},
	} {
		var off RuleSet
		for _, r := range Rules() {
			if r.Name == c.rule {
				off = r.Bit
			}
		}
		if got, _ := n.Without(off, 0).Append(nil, nil, []byte(c.ref)); string(got) != c.want {
			t.Errorf("%s without %q: got %s, want %s", c.ref, c.rule, got, c.want)
		}
	}
}
