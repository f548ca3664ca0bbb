package normalize

// Explanation is what became of one reference, step by step, for a person to read. Its texts may
// hold any bytes, as the reference did.
type Explanation struct {
	Reference  string             // as it came in
	Layers     []LayerExplanation // the base layers that are there, outermost first
	Base       string             // the base that the reference was resolved against, or would have been; "" for none
	BaseUsed   BaseUsed           // the layer that it came from, if the reference needed it
	Components []ComponentExplanation
	Steps      []Step
	Changed    RuleSet
	Flags      Flags
	Reason     Reason    // why it was refused; OK otherwise
	Component  Component // refused: where
	At         int       // refused: offset of the first offending byte in Reference
	URL        string    // the canonical URI; "" when refused
	Fragment   *string   // the canonical fragment; nil when absent or refused
}

// LayerExplanation is what became of one base layer.
type LayerExplanation struct {
	Layer     BaseUsed
	Text      string    // as it came in
	URL       string    // what it was resolved to; "" when skipped
	Used      bool      // whether it is the innermost usable one: the base
	Reason    Reason    // why it was skipped; OK otherwise
	Component Component // skipped: where
	At        int       // skipped: offset in Text
}

// ComponentExplanation is one component as a person reads it.
type ComponentExplanation struct {
	Component  Component
	Before     string // as the reference has it
	Present    bool   // whether the reference has it; an empty component may be present
	Start, End int    // where Before lies in Reference; both 0 if it is not present
	After      string // as the canonical URI has it
	Kept       bool   // whether the canonical URI has it
	Inherited  bool   // whether After came from the base
	Changed    RuleSet
}

// Step is one rule at work on one component.
type Step struct {
	Rule      RuleSet // one bit
	Name      string  // of the rule
	Section   string  // the standard that licenses it
	Component Component
	Before    string
	After     string
}

// ExplainOptions says how to explain.
type ExplainOptions struct {
	// ShowSecrets leaves passwords in the texts. Default false: "***" stands for them.
	ShowSecrets bool
}
