package config

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// Example makes the commented configuration file out of the comments of this package's source,
// which is given as the text of config.go. Its values are the defaults.
func Example(source []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	docs := comments(file)
	defaults := Default()
	var b strings.Builder
	b.WriteString("# All options of urisieve with their defaults. Made from the comments of the source: do not\n" +
		"# edit. Leave out what you do not change.\n")
	section := ""
	for _, leaf := range Leaves() {
		name, option, _ := strings.Cut(leaf.Key, ".")
		if name != section {
			section = name
			fmt.Fprintf(&b, "\n# %s\n%s:\n", sentence(docs[sectionType(name)]), section)
		}
		for line := range strings.SplitSeq(strings.TrimSpace(docs[leaf.Key]), "\n") {
			b.WriteString("  # " + line + "\n")
		}
		if leaf.Kind == KindSecret {
			b.WriteString("  # (no key of this file)\n")
			continue
		}
		fmt.Fprintf(&b, "  %s: %s\n", option, leaf.YAML(&defaults))
	}
	return []byte(b.String()), nil
}

// comments gives the comments of the options by key, of the sections by their type's name.
func comments(file *ast.File) map[string]string {
	docs := map[string]string{}
	for _, d := range file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, s := range gen.Specs {
			spec := s.(*ast.TypeSpec)
			docs[spec.Name.Name] = gen.Doc.Text()
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				if f.Tag == nil || f.Doc == nil {
					continue
				}
				tag, err := strconv.Unquote(f.Tag.Value)
				if err != nil {
					continue
				}
				docs[strings.ToLower(spec.Name.Name)+"."+reflect.StructTag(tag).Get("yaml")] = f.Doc.Text()
			}
		}
	}
	return docs
}

// sectionType is the name of the type that holds a section.
func sectionType(section string) string { return strings.ToUpper(section[:1]) + section[1:] }

// sentence drops the type's name, with which a Go comment begins.
func sentence(doc string) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(doc, "\n", " ")), " ")
	rest = strings.TrimPrefix(rest, "says ")
	if rest == "" {
		return ""
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}
