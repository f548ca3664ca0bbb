package sources

import "slices"

// check finds the faults between options: fields that the format can't have, and the like.
func (f *faults) check(o Options) {
	names := namesOf(&o)
	switch o.Format {
	case "", "text":
		names.given(func(key, name string) {
			f.add(key, name, "has no meaning for text", "csv, tsv or jsonl as input_format")
		})
	case "csv", "tsv":
		f.checkDelimited(o, &names)
	case "jsonl":
		f.checkPaths(&names)
	case "clf", "combined", "vclf", "vcombined":
		f.checkLog(o, &names)
	}
	if o.Format != "csv" && o.Format != "tsv" {
		const problem, accepted = "has no meaning for this format", "csv or tsv as input_format"
		if o.Delimiter != "" {
			f.add("delimiter", o.Delimiter, problem, accepted)
		}
		if o.Header != "" && o.Header != "auto" {
			f.add("header", o.Header, problem, accepted)
		}
		if o.Quotes == "no" {
			f.add("quotes", o.Quotes, problem, accepted)
		}
		if o.Ragged {
			f.add("ragged", "true", problem, accepted)
		}
	}
	for i, name := range o.RefFields {
		if slices.Contains(o.RefFields[:i], name) {
			f.add("ref_field", name, "is named twice", "each field once")
		}
	}
	f.checkColumns(o.Pass)
}

func (f *faults) checkDelimited(o Options, names *fieldNames) {
	names.given(func(key, name string) {
		_, isNumber := fieldNumber(name)
		switch {
		case name == "":
			f.add(key, name, "is empty", "the name of a field, or its number from 1")
		case o.Header == "no" && !isNumber:
			f.add(key, name, "is a name, but there is no header", "the number of the field, from 1, or header: yes")
		}
	})
}

func (f *faults) checkPaths(names *fieldNames) {
	names.given(func(key, name string) {
		steps, err := parsePath(name)
		switch {
		case err != nil:
			f.add(key, name, "is no path", "\"a\", \"a.b\", \"a[0]\", \"a[].b\", `a[\"b.c\"]` or \".\"")
		case key != "ref_field" && many(steps):
			f.add(key, name, "may be many values", "a path to one value: \"[]\" is for ref_field")
		}
	})
}

func (f *faults) checkLog(o Options, names *fieldNames) {
	names.given(func(key, name string) {
		if key != "pass" {
			f.add(key, name, "has no meaning for an access log", "csv, tsv or jsonl as input_format")
		}
	})
	known := logPass[:]
	if o.Format == "clf" || o.Format == "vclf" {
		known = known[1:] // no agent
	}
	if o.Format == "clf" || o.Format == "combined" {
		known = known[:len(known)-1] // no vhost
		if o.VhostScheme != "" && o.VhostScheme != "auto" {
			f.add("vhost_scheme", o.VhostScheme, "has no meaning for "+o.Format, "vclf or vcombined as input_format")
		}
	}
	for _, name := range o.Pass {
		if !slices.Contains(known, name) {
			f.oneOf("pass", name, known...)
		}
	}
}

// checkColumns: two fields must not become one column.
func (f *faults) checkColumns(pass []string) {
	taken := map[string]string{}
	for _, name := range pass {
		column := columnName(name)
		if column == "x_" {
			f.add("pass", name, "makes no column name", "a field with a letter or a digit in it")
		} else if other, ok := taken[column]; ok {
			f.add("pass", name, "becomes the column "+column+", as does "+other, "fields with different column names")
		}
		taken[column] = name
	}
}
