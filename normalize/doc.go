// Package normalize turns any URI reference into its canonical URI, or says why it can't.
package normalize
